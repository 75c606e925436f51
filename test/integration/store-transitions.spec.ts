import fc from 'fast-check';
import { TRANSITIONS, type JobEvent } from '../../libs/jobs/src/definition/job-status.js';
import { commands } from '../support/queue-commands.js';
import { QueueDriver, transitionName, type Tally } from '../support/queue-driver.js';
import { StoredQueue } from '../support/stored-queue.js';

jest.setTimeout(120_000);

const RUNS = 150;

/** What the commands can cause. A crash ends as cancelled only after a cancel was asked for. */
const EVENTS = [
  'enqueue',
  'promote',
  'claim',
  'succeed',
  'retry',
  'snooze',
  'bury',
  'hand_back',
  'crash',
] as const satisfies JobEvent[];
const OUT_OF_REACH = [transitionName('crash', 'processing', 'cancelled')];

const REACHABLE = EVENTS.flatMap((event) => {
  const { from, to } = TRANSITIONS[event];
  return from.flatMap((start) => to.map((end) => transitionName(event, start, end)));
}).filter((name) => !OUT_OF_REACH.includes(name));

describe('the store', () => {
  let opened: StoredQueue;

  beforeAll(async () => {
    opened = await StoredQueue.open();
  });

  afterAll(async () => {
    await opened.close();
  });

  it('makes only legal transitions, and all of them, in any order of commands', async () => {
    const tally: Tally = new Map(REACHABLE.map((name) => [name, 0]));
    await fc.assert(
      fc.asyncProperty(commands, (life) => new QueueDriver(opened.another(), tally).run(life)),
      { numRuns: RUNS, plugins: [fc.unbiased()] },
    );
    const lines = [...tally].map(([name, count]) => `${String(count).padStart(6)}  ${name}`);
    process.stdout.write(`Transitions seen in ${RUNS} lives of a queue:\n${lines.join('\n')}\n`);
    expect([...tally].filter(([, count]) => count === 0)).toEqual([]);
    expect([...tally.keys()]).toEqual(REACHABLE);
  });
});
