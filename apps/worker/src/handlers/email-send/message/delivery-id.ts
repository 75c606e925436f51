import { createHash } from 'node:crypto';

/** What a mail is known by: the payload's message key, or when there is none the job and whom it is to: a replay may name another. */
export type DeliverySubject = { readonly messageKey: string } | { readonly jobId: string; readonly to: string };

/**
 * 40 hex digits, the same for the same key (or job and recipient) on every run and every worker: the Message-ID and the delivery
 * ledger are built on it. Keys and job ids are kept apart, so that a key that reads like a job's id is no other's.
 */
export function deliveryId(subject: DeliverySubject): string {
  const text = 'messageKey' in subject ? `key:${subject.messageKey}` : `job:${subject.jobId}:${subject.to}`;
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 40);
}
