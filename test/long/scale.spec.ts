import { LargeQueue } from './large-queue.js';
import { operationsOn } from './operations.js';
import { SlowestCall, type CallCost, type Operation } from './slowest-call.js';

/** As many queued as kept; a smaller number, for a first look, may be named. */
const JOBS = Number(process.env['SCALE_JOBS'] ?? 1_000_000);
const MOST_MS = 5;
/** What one job may cost in commands, and a call besides its jobs. */
const COMMANDS_A_JOB = 16;
const COMMANDS_A_CALL = 120;

jest.setTimeout(30 * 60_000);

const costs = new Map<string, CallCost>();

/** A table for people, on standard output as it is the result. */
function printed(): string {
  const width = Math.max(...[...costs.keys()].map(({ length }) => length));
  const rows = [...costs].map(([name, { longestMs, longestCpuMs, commands }]) =>
    [
      name.padEnd(width),
      ...[longestMs, longestCpuMs].map((ms) => `${ms.toFixed(2).padStart(7)} ms`),
      String(commands).padStart(6),
    ].join(' '),
  );
  const head = `${JOBS.toLocaleString('en')} queued, ${JOBS.toLocaleString('en')} kept: longest single call, its processor time, commands in it`;
  return [head, ...rows, ''].join('\n');
}

describe('with very many jobs, the longest call', () => {
  let queue: LargeQueue;
  let slowest: SlowestCall;

  beforeAll(async () => {
    queue = await LargeQueue.open();
    await queue.fill(JOBS, JOBS);
    slowest = new SlowestCall(queue.store.redis);
    await slowest.open();
  });

  afterAll(async () => {
    process.stdout.write(printed());
    await queue.store.close();
  });

  it('takes 5 ms at most, and touches no more than its batch allows, whatever the call', async () => {
    const operations = operationsOn(queue);
    for (const operation of operations) costs.set(operation.name, await slowest.of(operation));
    const tooSlow = operations.filter(({ name }) => (costs.get(name)?.longestMs ?? Infinity) > MOST_MS);
    const tooMuch = operations.filter(
      ({ name, jobs }) => (costs.get(name)?.commands ?? Infinity) > COMMANDS_A_CALL + COMMANDS_A_JOB * jobs,
    );
    const namesOf = (found: readonly Operation[]): string[] => found.map(({ name }) => name);
    expect({ tooSlow: namesOf(tooSlow), tooMuch: namesOf(tooMuch) }).toEqual({ tooSlow: [], tooMuch: [] });
  });
});
