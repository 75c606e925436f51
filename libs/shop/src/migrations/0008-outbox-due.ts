/** To learn that no row is due, all were read while many waited to be tried again. */
export const outboxDue = ['create index outbox_taken_until on outbox (taken_until)'];
