import type { QueueView } from '../../support/queue-view.js';
import { holderOf } from '../rules/dedupe.js';
import type { Queue } from '../rules/queue.js';
import { near, type Differ } from './differ.js';

/** A dedupe key that is held is stored; one that is not may be left over, while the job is there or until its time is over. */
export function compareHolders(queue: Queue, { dedupe, jobs }: QueueView, now: number, differ: Differ): void {
  for (const [key, taker] of queue.takers) {
    if (holderOf(queue, key, now) === undefined) continue;
    const [deadline = '', ulid] = dedupe.get(key)?.split(' ') ?? [];
    differ(`the dedupe key ${key}`, [Number(deadline), ulid], [near(Number(deadline), taker.deadline), taker.ulid]);
  }
  for (const [key, text] of dedupe) {
    const [deadline, ulid = ''] = text.split(' ');
    if (deadline === '0' && !jobs.has(ulid)) differ(`the dedupe key ${key}`, text, undefined);
  }
}

const STATUS_LETTERS: Readonly<Record<string, string>> = { s: 'scheduled', q: 'queued', p: 'processing', r: 'retrying' };
const FINAL_LETTERS: Readonly<Record<string, string>> = { S: 'succeeded', F: 'failed', C: 'cancelled', E: 'expired' };

/** Every once record holds the first answer under its key. once.lua states its form. */
export function compareOnce(queue: Queue, { once }: QueueView, differ: Differ): void {
  differ('the once keys', [...once.keys()].sort(), [...queue.once.keys()].sort());
  for (const [key, { body, deadline, answer }] of queue.once) {
    const bytes = once.get(key);
    if (bytes === undefined) continue;
    const letter = bytes.toString('latin1', 49, 50);
    const stored = {
      deadline: bytes.readUIntLE(0, 6),
      body: bytes.toString('hex', 6, 22),
      accepted: bytes.toString('latin1', 22, 23) === 'a',
      ulid: bytes.toString('latin1', 23, 49),
      status: STATUS_LETTERS[letter] ?? FINAL_LETTERS[letter],
      createdAt: bytes.readUIntLE(50, 6),
      traceId: bytes.toString('hex', 56, 72),
    };
    const { job } = answer;
    differ(`the once record ${key}`, stored, {
      deadline: near(stored.deadline, deadline),
      body: body.repeat(32),
      accepted: answer.accepted,
      ulid: answer.ulid,
      status: job?.status,
      createdAt: near(stored.createdAt, job?.createdAt ?? 0),
      traceId: job?.traceId ?? '0'.repeat(32),
    });
  }
}
