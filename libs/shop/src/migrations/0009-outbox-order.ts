/** Rows are taken in this order: by the index of the time alone all that were never tried were sorted each time. */
export const outboxOrder = ['drop index outbox_taken_until', 'create index outbox_taken_until_id on outbox (taken_until, id)'];
