/** The errors that a trail has for crashes, as JSON. */

export const WORKER_LOST_JSON = JSON.stringify({
  name: 'WorkerLostError',
  code: 'worker_lost',
  message: 'The worker that ran the job was not heard of any more.',
});

export const LOOP_BLOCKED_JSON = JSON.stringify({
  name: 'EventLoopBlockedError',
  code: 'loop_blocked',
  message: 'The event loop was blocked when the time of the job was over. It or one that ran beside it did that.',
});

/** Whatever the crashes were: a worker may be lost one time and blocked the next. */
export function poisonJson(maxCrashes: number): string {
  return JSON.stringify({
    name: 'PoisonError',
    code: 'poison',
    message:
      `The worker was lost, or its event loop was blocked, while it ran the job, ${maxCrashes} times in a row or 10 times in all. ` +
      'The job may be what does that.',
  });
}
