import { createLogger } from '@antrean/platform';
import type { JobContext } from '../definition/job-context.js';
import { defineJob } from '../definition/job-definition.js';
import { unchecked } from '../definition/unchecked-payload.js';
import type { Claimed } from '../store/exchange.js';
import { Executor, type Execution } from './executor.js';
import type { RegisteredHandler } from './handler-registry.js';
import { Run } from './run.js';
import { THREAD_WAIT_MS } from './time-limits.js';

const TIMEOUT_MS = 2_000;
const GRACE_MS = 500;
const READ_MS = 4_000;
const InThread = defineJob('thread.run', { payload: unchecked<object>(), isolation: 'thread', grace: `${GRACE_MS}ms` });

const job = {
  ulid: '01J00000000000000000000000',
  token: Buffer.alloc(8),
  record: {
    timeoutMs: TIMEOUT_MS,
    attempt: 1,
    maxAttempts: 3,
    payloadJson: '{}',
    payloadVersion: 1,
    fingerprint: 0,
    trace: { traceId: 't' },
    facts: {},
  },
} as unknown as Claimed; // No more of a job matters to a run that keeps nothing.

/** Threads that have room for no job until `place`; a job that is placed runs until it is terminated, whatever its signal says. */
class Threads {
  readonly terminated: string[] = [];
  private onPlaced: () => void = () => undefined;
  private isPlaced = false;

  handle({ signal }: JobContext, onPlaced: () => void): Promise<unknown> {
    this.onPlaced = onPlaced;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        if (!this.isPlaced) reject(signal.reason as Error);
      });
    });
  }

  place(): void {
    this.isPlaced = true;
    this.onPlaced();
  }

  terminate(jobId: string): void {
    this.terminated.push(jobId);
  }
}

describe('a run in a thread', () => {
  let threads: Threads;
  let run: Run;
  let ended: unknown;
  let isGone: boolean;

  beforeEach(() => {
    jest.useFakeTimers();
    threads = new Threads();
    run = new Run();
    [ended, isGone] = [undefined, false];
  });

  const start = async (claimed = job): Promise<void> => {
    const unused = {} as never;
    // All that earlier runs of a job left, which Redis takes its time to tell.
    const link = {
      keys: () => ({ extra: () => '' }),
      redis: { hgetall: () => new Promise((resolve) => setTimeout(resolve, READ_MS, {})) },
    } as never;
    const logger = createLogger({ app: 'worker', level: 'silent', format: 'json' });
    const executor = new Executor(link, unused, unused, unused, { logger } as never);
    const registered = { definition: InThread, handler: threads, threads } as unknown as RegisteredHandler;
    const { end, gone }: Execution = executor.execute(registered, claimed, run);
    void end.then(({ settlement }) => (ended = settlement));
    void gone.then(() => (isGone = true));
    await jest.advanceTimersByTimeAsync(0);
  };

  afterEach(() => {
    jest.useRealTimers();
  });

  it('has its whole time from when there is a thread for it, however long it waited', async () => {
    await start();
    await jest.advanceTimersByTimeAsync(THREAD_WAIT_MS - 1);
    threads.place();
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS - 1);
    expect(run.abortCause).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(run.abortCause).toBe('timed_out');
    await jest.advanceTimersByTimeAsync(GRACE_MS - 1);
    expect(ended).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toMatchObject({ event: 'retry', outcome: 'timed_out' });
    expect(threads.terminated).toEqual([`thread.run_${job.ulid}`]);
  });

  it('waits as long for a thread when it had to read first what earlier runs left', async () => {
    await start({ ...job, record: { ...job.record, hasExtra: true } });
    await jest.advanceTimersByTimeAsync(READ_MS + THREAD_WAIT_MS - 1);
    expect(ended).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toMatchObject({ event: 'hand_back', neverBegan: true });
  });

  it('goes back as it came when no thread is to be had, and leaves the line', async () => {
    await start();
    await jest.advanceTimersByTimeAsync(THREAD_WAIT_MS - 1);
    expect([ended, isGone]).toEqual([undefined, false]);
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toEqual({ event: 'hand_back', delayMs: 1_000, neverBegan: true });
    expect(isGone).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });
});
