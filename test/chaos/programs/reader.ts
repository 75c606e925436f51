import { setTimeout as pause } from 'node:timers/promises';
import type { Final } from '../ledger/entries.js';
import { Ledger } from '../ledger/ledger.js';
import { ask } from './http-client.js';
import { endWithParent, setting, tellParent } from './parent.js';

/** Reads what became of each accepted job, until all are finished or the time for that is over, and writes it down. */

const LANES = 24;
const AGAIN_MS = 500;
const FINAL = ['succeeded', 'failed', 'cancelled', 'expired', 'absent'];

const ledger = new Ledger(setting('CHAOS_LEDGER'));
const apis = setting('CHAOS_APIS').split(',');
const deadline = performance.now() + Number(setting('CHAOS_SETTLE_MS'));

endWithParent();
tellParent('up');
const left = (await ledger.read('accepted')).map(({ jobId }) => jobId);
await Promise.all(Array.from({ length: LANES }, (_, lane) => readOn(apis[lane % apis.length] ?? '')));
tellParent('read');

async function readOn(api: string): Promise<void> {
  for (let jobId = left.pop(); jobId !== undefined; jobId = left.pop()) await ledger.write('finals', await final(api, jobId));
}

async function final(api: string, jobId: string): Promise<Final> {
  for (;;) {
    const isLate = performance.now() > deadline;
    const job = await look(api, jobId).catch(() => undefined);
    if (job !== undefined && (FINAL.includes(job.status) || isLate)) return job;
    if (isLate) return { jobId, status: 'unread', errorCode: null };
    await pause(AGAIN_MS);
  }
}

async function look(api: string, jobId: string): Promise<Final | undefined> {
  const { status, body } = await ask('GET', `${api}/jobs/${jobId}`);
  if (status === 404) return { jobId, status: 'absent', errorCode: null };
  if (status !== 200) return undefined;
  // As the contract of the api has it.
  const job = body as { readonly status: string; readonly error_code: string | null };
  return { jobId, status: job.status, errorCode: job.error_code };
}
