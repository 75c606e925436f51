export const orders = [
  `create table orders (
    id text not null constraint orders_id primary key,
    customer_id text not null constraint orders_customer_id references customers (id),
    currency text not null,
    total_minor bigint not null,
    created_at bigint not null
  )`,
  'create index orders_created_at_id on orders (created_at, id)',
  `create table order_items (
    order_id text not null constraint order_items_order references orders (id) on delete cascade,
    position integer not null,
    sku text not null,
    name text not null,
    quantity integer not null constraint order_items_quantity check (quantity > 0),
    unit_price_minor bigint not null constraint order_items_unit_price_minor check (unit_price_minor >= 0),
    constraint order_items_order_id_position primary key (order_id, position)
  )`,
  `create table order_jobs (
    order_id text not null constraint order_jobs_order references orders (id) on delete cascade,
    type text not null,
    job_id text not null constraint order_jobs_job_id primary key,
    status text not null,
    result text,
    error text,
    error_code text,
    finished_at bigint
  )`,
  'create index order_jobs_order_id on order_jobs (order_id)',
];
