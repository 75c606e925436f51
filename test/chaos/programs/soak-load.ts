import { Brief, drawJob, Long, type ChaosJob } from '../job.js';
import { Ledger } from '../ledger/ledger.js';
import { Random } from '../random.js';
import { DEDUPE_KEYS, IDEMPOTENCY_KEYS } from '../soak/keys-at-rest.js';
import { ask, type Answer } from './http-client.js';
import { endWithParent, setting } from './parent.js';
import { steadily } from './steadily.js';

/**
 * Uses the api as different clients would, so many times a second: submits of all kinds, waits, cancels, replays, removals, lists. Keys that
 * are kept for long are few, and used again and again. Told `stop`, it waits for its last answers.
 */

const MAX_OPEN = 100;
const JSON_BODY = { 'content-type': 'application/json' };

const ledger = new Ledger(setting('CHAOS_LEDGER'));
const apis = setting('CHAOS_APIS').split(',');
const seed = Number(setting('CHAOS_SEED'));
const leaseMs = Number(setting('CHAOS_LEASE_MS'));
const random = new Random(seed);

interface Client {
  /** How often it comes, beside the others. */
  readonly weight: number;
  use(job: ChaosJob): Promise<unknown>;
}

const CLIENTS: readonly Client[] = [
  { weight: 50, use: (job) => submit(job) },
  { weight: 10, use: (job) => submit(job, { delay_sec: random.whole(1, 5), tags: ['later'] }) },
  { weight: 5, use: (job) => submit(job, { priority: random.whole(0, 9), expires_in_sec: 60 }) },
  { weight: 8, use: (job) => submit(job, { dedupe_key: `key-${random.whole(1, DEDUPE_KEYS)}`, on_duplicate: 'existing' }) },
  { weight: 8, use: () => repeat(random.whole(1, IDEMPOTENCY_KEYS)) },
  { weight: 5, use: ({ payload }) => submit(brief(payload.number), {}, { prefer: 'wait=5' }) },
  { weight: 5, use: cancelled },
  { weight: 3, use: ({ payload }) => removed(brief(payload.number)) },
  { weight: 2, use: replayed },
  { weight: 4, use: lookedAt },
];

endWithParent();
await steadily(MAX_OPEN, (number) => drawClient().use(drawJob(seed, number, leaseMs)));

function drawClient(): Client {
  let drawn = random.fraction() * CLIENTS.reduce((sum, { weight }) => sum + weight, 0);
  const client = CLIENTS.find(({ weight }) => (drawn -= weight) < 0);
  if (client === undefined) throw new Error('There is no client.');
  return client;
}

/** Resolves to the id of the job, if it was accepted. */
async function submit(job: ChaosJob, options: object = {}, headers: Readonly<Record<string, string>> = {}) {
  const answer = await call('POST', '/jobs', { ...job, options }, headers);
  // As the contract of the api has it.
  const jobId = (answer?.body as { readonly job_id?: string } | undefined)?.job_id;
  const { number, fate } = job.payload;
  if (jobId !== undefined) await ledger.write('accepted', { jobId, number, fate, webhook: false });
  return jobId;
}

function repeat(key: number) {
  return submit(brief(-key), {}, { 'idempotency-key': `${seed}-${key}` });
}

async function cancelled(job: ChaosJob): Promise<void> {
  const isWaiting = random.fraction() < 0.5;
  // Who gets no answer to the submit cannot cancel: the job is to be gone before the keys are counted.
  const jobId = await submit({ ...job, type: Long.type }, isWaiting ? { delay_sec: 30 } : {});
  if (jobId !== undefined) await call('POST', `/jobs/${jobId}/cancel`, {});
}

async function removed(job: ChaosJob): Promise<void> {
  const jobId = await submit(job, {}, { prefer: 'wait=5' });
  if (jobId !== undefined) await call('DELETE', `/jobs/${jobId}`);
}

async function replayed(): Promise<void> {
  const answer = await call('GET', '/jobs?status=failed&limit=5');
  // As the contract of the api has it.
  const { data = [] } = (answer?.body ?? {}) as { readonly data?: readonly { readonly job_id: string }[] };
  const job = data[random.whole(0, 4)];
  if (job !== undefined) await call('POST', `/jobs/${job.job_id}/replay`, {});
}

async function lookedAt({ type, payload }: ChaosJob): Promise<void> {
  const jobId = await submit({ type, payload });
  for (const path of [`/jobs/${jobId}`, `/jobs/${jobId}/logs`, '/jobs?status=succeeded', '/types', '/health/ready'])
    await call('GET', path);
}

function brief(number: number): ChaosJob {
  return { type: Brief.type, payload: { number, ms: 10, fate: 'succeeds' } };
}

/** Resolves to the answer, unless there was none; an answer of a fault of the api is written down like none. */
async function call(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | undefined> {
  const nth = random.whole(0, apis.length - 1);
  const sent = body === undefined ? headers : { ...JSON_BODY, ...headers };
  const answer = await ask(method, `${apis[nth] ?? ''}${path}`, sent, body && JSON.stringify(body)).catch(() => undefined);
  if (answer === undefined || answer.status >= 500) await ledger.write('unanswered', { api: `api-${nth + 1}` });
  return answer;
}
