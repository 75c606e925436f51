export const customers = [
  `create table customers (
    id text not null constraint customers_id primary key,
    email text not null,
    email_key text not null constraint customers_email_key unique,
    name text not null,
    phone text,
    country text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  // Read by period, page by page.
  'create index customers_created_at_id on customers (created_at, id)',
];
