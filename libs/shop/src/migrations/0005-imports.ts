export const imports = [
  `create table imports (
    job_id text not null constraint imports_job_id primary key,
    user_id text not null,
    file_key text not null,
    file_tag text not null,
    place text,
    bytes_read bigint not null,
    bytes_total bigint not null,
    read bigint not null,
    imported bigint not null,
    updated bigint not null,
    rejected bigint not null,
    finished_at bigint
  )`,
  `create table import_rejects (
    job_id text not null constraint import_rejects_import references imports (job_id) on delete cascade,
    number bigint not null,
    line bigint not null,
    column_name text,
    reason text not null,
    row_text text not null,
    constraint import_rejects_job_id_number primary key (job_id, number)
  )`,
];
