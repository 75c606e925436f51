export const orderFollowUp = [
  // As the customer was called when they ordered. Of orders of before, as they are called now.
  "alter table orders add column customer_email text not null default ''",
  "alter table orders add column customer_name text not null default ''",
  'alter table orders add column customer_country text',
  `update orders set
    customer_email = (select email from customers where customers.id = orders.customer_id),
    customer_name = (select name from customers where customers.id = orders.customer_id),
    customer_country = (select country from customers where customers.id = orders.customer_id)`,
  `create table order_requests (
    key text not null constraint order_requests_key primary key,
    body_hash text not null,
    order_id text not null constraint order_requests_order references orders (id)
      on delete cascade deferrable initially deferred,
    expires_at bigint not null
  )`,
  // Swept by age.
  'create index order_requests_expires_at on order_requests (expires_at)',
  'alter table order_jobs add column check_at bigint',
  'alter table order_jobs add column checks integer not null default 0',
  'create index order_jobs_check_at on order_jobs (check_at) where check_at is not null',
];
