export const deliveries = [
  `create table deliveries (
    id text not null constraint deliveries_id primary key,
    state text not null constraint deliveries_state check (state in ('sending', 'sent', 'failed')),
    run text not null,
    job_id text not null,
    message_id text not null,
    unknown integer not null,
    at bigint not null
  )`,
  // Swept by age.
  'create index deliveries_at on deliveries (at)',
];
