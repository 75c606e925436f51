import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnalyticsAppend } from '@antrean/catalog';
import { Snooze, type Checkpoint } from '@antrean/jobs';
import { AnalyticsAppendHandler } from '../../apps/worker/src/handlers/analytics-append/analytics-append.handler.js';
import { EventFile } from '../../apps/worker/src/handlers/analytics-append/event-file.js';
import { jobContext } from '../support/job-context.js';

const eventOf = (id: string) => ({
  id,
  type: 'order.created',
  timestamp: '2026-01-31T08:00:00.000Z',
  data: { total_minor: 450 },
});
const lineOf = (id: string) => `${JSON.stringify(eventOf(id))}\n`;

/** What is kept of a job between its runs. */
class KeptCheckpoint implements Checkpoint {
  value: unknown;

  save(value: unknown): Promise<void> {
    this.value = value;
    return Promise.resolve();
  }
}

describe('an event', () => {
  let folder: string;
  let path: string;
  let handler: AnalyticsAppendHandler;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'antrean-events-'));
    path = join(folder, 'below', 'events.jsonl');
    handler = new AnalyticsAppendHandler(new EventFile(path));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const run = (id: string, checkpoint: Checkpoint = new KeptCheckpoint()) =>
    handler.handle(jobContext(AnalyticsAppend, eventOf(id), { checkpoint }));
  const text = () => readFile(path, 'utf8');

  it('becomes a line of the file, which is made when there is none', async () => {
    expect(await run('a')).toEqual({ appended: true });
    expect(await run('b')).toEqual({ appended: true });
    expect(await text()).toBe(lineOf('a') + lineOf('b'));
  });

  it('stands there once when its job runs again, whatever others have appended since', async () => {
    await run('before');
    const checkpoint = new KeptCheckpoint();
    await run('a', checkpoint);
    await run('after');
    expect(await run('a', checkpoint)).toEqual({ appended: false });
    expect(await text()).toBe(lineOf('before') + lineOf('a') + lineOf('after'));
  });

  it.each([
    ['a full disk', () => '/dev/full', 'ENOSPC'],
    ['a file where its folder should be', () => join(path, 'events.jsonl'), 'ENOTDIR'],
  ])('waits for %s without using an attempt', async (_what, place, code) => {
    await run('before');
    const unfit = new AnalyticsAppendHandler(new EventFile(place()));
    const running = unfit.handle(jobContext(AnalyticsAppend, eventOf('a'), { checkpoint: new KeptCheckpoint() }));
    await expect(running).rejects.toThrow(Snooze);
    await expect(running).rejects.toThrow(`of ANALYTICS_FILE cannot be used (${code})`);
  });

  it('waits for a file that it cannot read, too', async () => {
    const checkpoint = new KeptCheckpoint();
    await checkpoint.save(0);
    // It has a size, and cannot be read line by line.
    const unfit = new AnalyticsAppendHandler(new EventFile(folder));
    const running = unfit.handle(jobContext(AnalyticsAppend, eventOf('a'), { checkpoint }));
    await expect(running).rejects.toThrow('of ANALYTICS_FILE cannot be used (EISDIR)');
    await expect(running).rejects.toThrow(Snooze);
  });

  it('is appended by the second run when the first died before', async () => {
    await run('before');
    const checkpoint = new KeptCheckpoint();
    await checkpoint.save((await text()).length);
    await run('after');
    expect(await run('a', checkpoint)).toEqual({ appended: true });
    expect(await text()).toBe(lineOf('before') + lineOf('after') + lineOf('a'));
  });

  it('is looked for in all of a file that is shorter than it was', async () => {
    const checkpoint = new KeptCheckpoint();
    await checkpoint.save(1_000_000);
    await run('b');
    expect(await run('a', checkpoint)).toEqual({ appended: true });
    expect(await run('a', checkpoint)).toEqual({ appended: false });
  });

  it('makes no line longer that was cut short', async () => {
    await run('a');
    await appendFile(path, '{"id":"cut');
    await run('b');
    expect(await text()).toBe(`${lineOf('a')}{"id":"cut\n${lineOf('b')}`);
  });

  it('waits for the end of a line that another process is writing', async () => {
    await run('a');
    await appendFile(path, lineOf('b').slice(0, 20));
    const running = run('c');
    for (const letter of lineOf('b').slice(20)) await appendFile(path, letter);
    await running;
    expect(await text()).toBe(lineOf('a') + lineOf('b') + lineOf('c'));
  });

  it('of many at once is a line each', async () => {
    const ids = Array.from({ length: 100 }, (_, nth) => `event-${nth}`);
    await Promise.all(ids.map((id) => run(id)));
    const lines = (await text()).split('\n').slice(0, -1);
    expect(lines.map((line) => `${line}\n`).sort()).toEqual(ids.map(lineOf).sort());
  });
});
