export const outbox = [
  `create table outbox (
    id text not null constraint outbox_id primary key,
    job_id text not null constraint outbox_job_id unique,
    type text not null,
    job text not null,
    created_at bigint not null,
    taken_until bigint not null,
    taken_by text,
    tries integer not null,
    last_error text
  )`,
];
