import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RedisConnection } from '@antrean/platform';
import { Link } from '../store/link.js';
import { NoteWriter } from './note-writer.js';
import { RunNotes } from './run-notes.js';

/** A Redis that has every job's token, but for the types that it does not answer for. */
class Notebook {
  readonly written: string[] = [];
  readonly failures = new Map<string, Promise<never>>();
  /** By the letter that a ulid is made of. */
  readonly spoilt = new Set<string>();
  /** It goes away after so many notes. */
  notesLeft = Infinity;

  callBuffer(_command: string, _sha: string, keyCount: number, clock: string, ...rest: unknown[]) {
    const failure = [...this.failures].find(([type]) => clock.includes(type))?.[1];
    if (failure !== undefined) return failure;
    const notes = rest.slice(keyCount - 1);
    const letters = notes.filter((_argument, index) => index % 4 === 0).map((ulid) => String(ulid).slice(0, 1));
    if (letters.some((letter) => this.spoilt.has(letter))) return Promise.reject(refusal('WRONGTYPE x'));
    if (letters.length > this.notesLeft) return Promise.reject(AWAY);
    this.notesLeft -= letters.length;
    const jsons = notes.filter((_argument, index) => index % 4 === 3).map(String);
    this.written.push(...jsons);
    return Promise.resolve(Buffer.from('+'.repeat(jsons.length)));
  }

  fail(type: string, error: Error): void {
    const failure = Promise.reject(error);
    failure.catch(() => undefined);
    this.failures.set(type, failure);
  }
}

const AWAY = new Error('Connection is closed.');
const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

describe('what handlers tell of their jobs', () => {
  let redis: Notebook;
  let writer: NoteWriter;

  beforeEach(() => {
    redis = new Notebook();
    // Of a connection, the script that writes notes needs this call alone.
    writer = new NoteWriter(new Link(redis as unknown as RedisConnection, 'test'));
  });

  const runOf = (type: string, letter = '0') =>
    new RunNotes(type, { ulid: letter.repeat(26), token: Buffer.alloc(14) }, writer, () => undefined);

  it('does not pile up while Redis is away: of the progress, what was told first and what last is written', async () => {
    redis.fail('mail', AWAY);
    const run = runOf('mail');
    for (let percent = 0; percent <= 100; percent += 1) {
      run.progress(String(percent));
      await expect(writer.tick()).rejects.toBe(AWAY);
    }
    redis.failures.clear();
    await writer.tick();
    expect(redis.written).toEqual(['0', '100']);
  });

  it.each([
    ['fails', Promise.reject(AWAY)],
    ['does not answer', new Promise<never>(() => undefined)],
  ])('is written of one type while the Redis of another %s', async (_how, failure) => {
    failure.catch(() => undefined);
    redis.failures.set('mail', failure);
    runOf('mail').progress('1');
    await writer.tick().catch(() => undefined);
    const saved = runOf('ship').keep('checkpoint', '2');
    await Promise.all([saved, writer.tick().catch(() => undefined)]);
    expect(redis.written).toEqual(['2']);
  });

  it.each(['READONLY x', 'LOADING x', 'MISCONF x', 'BUSY x', 'TRYAGAIN x', 'NOREPLICAS x'])(
    'waits while Redis refuses it: %s',
    async (message) => {
      redis.fail('mail', refusal(message));
      const run = runOf('mail');
      run.log('line');
      const saved = run.keep('checkpoint', 'saved');
      await expect(writer.tick()).rejects.toThrow(message);
      redis.failures.clear();
      await writer.tick();
      await saved;
      expect(redis.written).toEqual(['line', 'saved']);
    },
  );

  it('is refused for good by an error that no wait will mend', async () => {
    redis.fail('mail', refusal('WRONGTYPE x'));
    const saved = runOf('mail').keep('checkpoint', 'saved');
    await writer.tick();
    await expect(saved).rejects.toThrow('WRONGTYPE');
  });

  it('is written though something of another job is spoilt', async () => {
    redis.spoilt.add('1');
    const [before, spoilt, after] = ['0', '1', '2'].map((letter) => runOf('mail', letter).keep('checkpoint', letter));
    await writer.tick();
    await Promise.all([before, after, expect(spoilt).rejects.toThrow('WRONGTYPE')]);
    expect(redis.written).toEqual(['0', '2']);
  });

  it('is written once though Redis goes away while the notes of a spoilt job are told from others', async () => {
    redis.spoilt.add('1');
    redis.notesLeft = 1;
    const [before, spoilt, after] = ['0', '1', '2'].map((letter) => runOf('mail', letter).keep('checkpoint', letter));
    const refused = expect(spoilt).rejects.toThrow('WRONGTYPE');
    await expect(writer.tick()).rejects.toBe(AWAY);
    redis.notesLeft = Infinity;
    await writer.tick();
    await Promise.all([before, refused, after]);
    expect(redis.written).toEqual(['0', '2']);
  });

  it('at the end of a run is kept when Redis is away, and holds up nothing', async () => {
    redis.fail('mail', AWAY);
    const run = runOf('mail');
    run.log('last words');
    await writer.flush(run);
    run.close();
    redis.failures.clear();
    await writer.tick();
    expect(redis.written).toEqual(['last words']);
  });

  it('at the end of a run is written though another write is just over', async () => {
    const [first, second] = [runOf('mail'), runOf('mail')];
    first.log('first');
    const flushed = writer.flush(first);
    for (let turn = 0; turn < 3 && redis.written.length === 0; turn += 1) await nextTurn();
    second.log('second');
    await Promise.all([flushed, writer.flush(second)]);
    expect(redis.written).toEqual(['first', 'second']);
  });
});
