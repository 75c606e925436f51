import { createHash } from 'node:crypto';

/** What a mail is known by: the payload's message key, or the job when there is none. */
export type DeliverySubject = { readonly messageKey: string } | { readonly jobId: string };

/**
 * 40 hex digits, the same for the same key (or job) on every run and every worker: the Message-ID and the delivery
 * ledger are built on it. Keys and job ids are kept apart, so that a key that reads like a job's id is no other's.
 */
export function deliveryId(subject: DeliverySubject): string {
  const text = 'messageKey' in subject ? `key:${subject.messageKey}` : `job:${subject.jobId}`;
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 40);
}
