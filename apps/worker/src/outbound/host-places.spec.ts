import { Snooze } from '@antrean/jobs';
import { HostPlaces } from './host-places.js';

describe('the places of a host', () => {
  const { signal } = new AbortController();
  let places: HostPlaces;
  let began: string[];
  let ends: Map<string, () => void>;

  beforeEach(() => {
    jest.useFakeTimers();
    places = new HostPlaces(2);
    began = [];
    ends = new Map();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const deliver = (name: string, host = 'slow.example', until = signal): Promise<string> =>
    places
      .within(host, until, () => {
        began.push(name);
        return new Promise<string>((resolve) => {
          ends.set(name, () => {
            resolve('sent');
          });
        });
      })
      .catch((error: unknown) => (error instanceof Snooze ? `put off ${error.delayMs}` : 'failed'));
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await jest.advanceTimersByTimeAsync(0);
  };

  it('are so many, and of each host as many', () => {
    for (const name of ['a', 'b', 'c']) void deliver(name);
    void deliver('d', 'quick.example');
    expect(began).toEqual(['a', 'b', 'd']);
  });

  it('go on to those who wait in the order in which they came', async () => {
    for (const name of ['a', 'b', 'c', 'd']) void deliver(name);
    await end('a');
    expect(began).toEqual(['a', 'b', 'c']);
    await end('b');
    void deliver('e');
    expect(began).toEqual(['a', 'b', 'c', 'd']);
    await end('c');
    expect(began).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are free again after a delivery that failed', async () => {
    const failing = () => Promise.reject(new Error('x'));
    for (let i = 0; i < 4; i += 1) await expect(places.within('slow.example', signal, failing)).rejects.toThrow('x');
    void deliver('a');
    expect(began).toEqual(['a']);
  });

  it('are waited for as long as a host that works takes, and not by those who find it stuck', async () => {
    void deliver('a');
    void deliver('b');
    const waits = deliver('c');
    let waited = false;
    void waits.then(() => {
      waited = true;
    });
    await jest.advanceTimersByTimeAsync(999);
    expect(waited).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await expect(waits).resolves.toMatch(/^put off \d+$/);
    await expect(deliver('d')).resolves.toMatch(/^put off \d+$/);
    await end('a');
    await end('b');
    void deliver('e');
    expect(began).toEqual(['a', 'b', 'e']);
  });

  it('are not waited for by a run that is to end', async () => {
    const abort = new AbortController();
    void deliver('a');
    void deliver('b');
    const waits = deliver('c', 'slow.example', abort.signal);
    abort.abort();
    await expect(waits).resolves.toMatch(/^put off/);
    await end('a');
    expect(began).toEqual(['a', 'b']);
  });

  it('let those who are put off come back spread over the time in which places may come free, within five minutes', async () => {
    void deliver('a');
    void deliver('b');
    await jest.advanceTimersByTimeAsync(1_000);
    const delays = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => Number((await deliver(`p${index}`)).replace('put off ', ''))),
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(5_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(300_000);
    expect(delays.slice(0, 1).every((ms) => ms <= 10_000)).toBe(true);
    expect(Math.max(...delays)).toBeGreaterThan(100_000);
  });
});
