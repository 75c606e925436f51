/** What nobody read: the log tells of a row that cannot be handed on, and the job of an import whose it is. */
export const unreadColumns = [
  'alter table outbox drop column taken_by',
  'alter table outbox drop column tries',
  'alter table outbox drop column last_error',
  'alter table imports drop column user_id',
  'alter table imports drop column file_key',
];
