import { setTimeout as pause } from 'node:timers/promises';
import { drawJob, wantsWebhook, type ChaosJob } from '../job.js';
import { Ledger } from '../ledger/ledger.js';
import { Random } from '../random.js';
import { ask, type Answer } from './http-client.js';
import { endWithParent, setting } from './parent.js';
import { steadily } from './steadily.js';

/**
 * Submits jobs over HTTP, so many a second, each under an idempotency key, some with a webhook, and again under the same key until it is
 * answered. Told `stop`, it waits until all are answered.
 */

/** Twice as long each time. All at once and at once again they would leave the apis no time to answer. */
const AGAIN_MS = { first: 50, longest: 2_000 };
const MOST_OPEN = 400;

const ledger = new Ledger(setting('CHAOS_LEDGER'));
const apis = setting('CHAOS_APIS')
  .split(',')
  .map((url, index) => ({ name: `api-${index + 1}`, url }));
const seed = Number(setting('CHAOS_SEED'));
const leaseMs = Number(setting('CHAOS_LEASE_MS'));
const webhookUrl = setting('CHAOS_WEBHOOK');
const random = new Random(seed);

endWithParent();
await steadily(MOST_OPEN, (number) => untilAccepted(drawJob(seed, number, leaseMs)));

async function untilAccepted(job: ChaosJob): Promise<void> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `${seed}-${job.payload.number}` };
  const { number, fate } = job.payload;
  const webhook = wantsWebhook(job);
  const body = JSON.stringify({ ...job, ...(webhook && { options: { webhook: { url: webhookUrl } } }) });
  for (let againMs = AGAIN_MS.first; ; againMs = Math.min(2 * againMs, AGAIN_MS.longest)) {
    const api = apis[random.whole(0, apis.length - 1)];
    if (api === undefined) throw new Error('There is no api.');
    const answer = await ask('POST', `${api.url}/jobs`, headers, body).catch((error: unknown) => error);
    if (isAccepted(answer)) {
      await ledger.write('accepted', { jobId: answer.body.job_id, number, fate, webhook });
      return;
    }
    if (!mayBeSentAgain(answer)) throw new Error(`A submit was answered with ${JSON.stringify(answer)}.`);
    if (!wasNotSent(answer)) await ledger.write('unanswered', { api: api.name });
    await pause(random.whole(againMs / 2, againMs));
  }
}

function isAccepted(answer: unknown): answer is { readonly body: { readonly job_id: string } } {
  // An error has no status.
  return (answer as Partial<Answer>).status === 202;
}

function mayBeSentAgain(answer: unknown): boolean {
  // As above.
  return answer instanceof Error || (answer as Answer).status === 503;
}

function wasNotSent(answer: unknown): boolean {
  return answer instanceof Error && 'code' in answer && answer.code === 'ECONNREFUSED';
}
