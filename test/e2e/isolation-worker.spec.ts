import { fork } from 'node:child_process';
import { join } from 'node:path';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';

jest.setTimeout(60_000);

describe('a worker with a type that runs in threads', () => {
  it('runs, settles, ends at the hard limit and hands back its jobs as those of any type', async () => {
    const options = JSON.stringify({ redisUrl: REDIS_URL, keyPrefix: newKeyPrefix() });
    const worker = fork(join(process.cwd(), 'test/fixtures/isolation/worker.mjs'), [options], {
      serialization: 'advanced',
      execArgv: [],
    });
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    const said = new Promise((resolve) => worker.once('message', resolve));
    const outcomes = await Promise.race([said, exited]);
    expect(outcomes).toMatchObject({
      waited: { status: 'succeeded', result: 4, runs: [{ outcome: 'succeeded' }] },
      returned: { status: 'succeeded', result: 5 },
      all: {
        status: 'succeeded',
        result: { saved: { at: 5 }, kept: { sum: 3 }, child: { type: 'child.send', status: 'queued' } },
        progress: { percent: 10, message: 'a tenth', data: { of: 'it' } },
      },
      log: [{ level: 'info', message: 'begun', fields: { n: 1 } }],
      threw: { status: 'failed', error: { name: 'PermanentError', code: 'E_NEVER' } },
      hung: { status: 'failed', error: { name: 'JobAbortedError', code: 'timed_out' }, runs: [{ outcome: 'timed_out' }] },
      died: { status: 'failed', error: { code: 'thread_died' } },
      next: { status: 'succeeded', result: 6 },
      cutOff: { status: 'queued', attempt: 0, crashes: 0 },
    });
    // It disconnects once both applications are closed; no thread keeps it.
    expect(await exited).toBe(0);
  });
});
