import { Writable } from 'node:stream';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { createLogger, type Logger } from '@antrean/platform';
import { Loop, type Ticking } from './loop.js';

const HOUR = 3_600_000;

type Line = Readonly<Record<string, unknown>>;

function logTo(lines: Line[]): Logger {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  return createLogger({ app: 'worker', level: 'debug', format: 'json' }, destination);
}

/** Ticks as it is told, and notes when. */
class Work implements Ticking {
  /** When each tick began, in ms of the monotonic clock. */
  readonly begun: number[] = [];
  private readonly waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(private readonly each: (number: number) => Promise<number> | number) {}

  async tick(): Promise<number> {
    this.begun.push(performance.now());
    for (const { count, resolve } of this.waiting) if (this.begun.length >= count) resolve();
    return this.each(this.begun.length);
  }

  /** Resolves when so many ticks have begun. */
  async reached(count: number): Promise<void> {
    if (this.begun.length < count) await new Promise<void>((resolve) => this.waiting.push({ count, resolve }));
  }

  /** Milliseconds from the start of one tick to the next. */
  gaps(): number[] {
    return this.begun.slice(1).map((at, index) => at - (this.begun[index] ?? NaN));
  }
}

/** A promise to be kept by hand. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('a loop', () => {
  let lines: Line[];
  let loop: Loop | undefined;

  beforeEach(() => {
    lines = [];
  });

  afterEach(async () => {
    await loop?.stop();
    loop = undefined;
  });

  const loopOf = (work: Ticking): Loop => {
    loop = new Loop('worker bee', work, logTo(lines));
    return loop;
  };

  it('ticks at once, and again after as long as the tick says', async () => {
    const work = new Work(() => 20);
    loopOf(work).start();
    await work.reached(4);
    // A timer may be a fraction of a millisecond early by this clock, never late without bound.
    for (const gap of work.gaps()) expect(gap).toBeGreaterThanOrEqual(19);
  });

  it('waits for a tick to end before it begins the next', async () => {
    const slow = gate();
    const work = new Work(async (number) => {
      if (number === 1) await slow.opened;
      return 0;
    });
    const started = loopOf(work);
    started.start();
    started.wakeWithin(0);
    await pause(20);
    expect(work.begun).toHaveLength(1);
    slow.open();
    await work.reached(2);
  });

  it('runs once, however often it is started', async () => {
    const work = new Work(() => HOUR);
    const started = loopOf(work);
    started.start();
    started.start();
    await pause(20);
    started.start();
    expect(work.begun).toHaveLength(1);
  });

  it('stops before it was started, twice, and for good', async () => {
    const work = new Work(() => HOUR);
    const started = loopOf(work);
    await started.stop();
    started.start();
    await work.reached(1);
    await Promise.all([started.stop(), started.stop()]);
    await started.stop();
    started.start();
    started.wakeWithin(0);
    await pause(20);
    expect(work.begun).toHaveLength(1);
  });

  it('stops in the middle of a long sleep', async () => {
    const work = new Work(() => HOUR);
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    await turn();
    await started.stop();
    expect(work.begun).toHaveLength(1);
  });

  it('lets the tick in hand end before it says that it stopped', async () => {
    const inHand = gate();
    const work = new Work(() => inHand.opened.then(() => 0));
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    let stopped = false;
    const stopping = started.stop().then(() => {
      stopped = true;
    });
    await pause(20);
    expect(stopped).toBe(false);
    inHand.open();
    await stopping;
    expect(work.begun).toHaveLength(1);
  });

  it('wakes from its sleep when it is told to', async () => {
    const work = new Work(() => HOUR);
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    await turn();
    started.wakeWithin(0);
    await work.reached(2);
    await turn();
    started.wakeWithin(20);
    await work.reached(3);
    expect(work.gaps()[1]).toBeGreaterThanOrEqual(19);
  });

  it('does not go to sleep when it was told to wake while it ticked', async () => {
    const work = new Work((number) => {
      if (number === 1) loop?.wakeWithin(0);
      return HOUR;
    });
    loopOf(work).start();
    await work.reached(2);
  });

  it('wakes at the earliest time it was told, and is never held back', async () => {
    const work = new Work((number) => (number === 1 ? 50 : HOUR));
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    await turn();
    started.wakeWithin(HOUR);
    started.wakeWithin(10);
    started.wakeWithin(30);
    await work.reached(2);
    expect(work.gaps()[0]).toBeGreaterThanOrEqual(9);
    expect(work.gaps()[0]).toBeLessThan(HOUR);
    await pause(100);
    expect(work.begun).toHaveLength(2);
  });

  it('does not begin its sleep anew for a time that is not earlier', async () => {
    let sleeps = 0;
    class Watched extends Work {
      // Asked for once before each sleep.
      get notBefore(): number {
        sleeps += 1;
        return 0;
      }
    }
    const work = new Watched(() => HOUR);
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    await turn();
    started.wakeWithin(HOUR / 2);
    await turn();
    expect(sleeps).toBe(2);
    for (let i = 0; i < 10; i += 1) {
      started.wakeWithin(HOUR / 2 + i);
      await turn();
    }
    expect(sleeps).toBe(2);
  });

  it('is woken by nobody before the time that its work bars, be it told during the tick or the sleep', async () => {
    class BarredWork extends Work {
      notBefore = 0;
    }
    const work: BarredWork = new BarredWork((number) => {
      if (number > 1) return HOUR;
      work.notBefore = performance.now() + 50;
      loop?.wakeWithin(0);
      return HOUR;
    });
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    await turn();
    started.wakeWithin(0);
    await work.reached(2);
    expect(work.gaps()[0]).toBeGreaterThanOrEqual(49);
    await turn();
    started.wakeWithin(0);
    await work.reached(3);
  });

  it('sleeps for longer than a timer of Node can', async () => {
    const work = new Work(() => 2 ** 40);
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    await pause(30);
    expect(work.begun).toHaveLength(1);
    started.wakeWithin(0);
    await work.reached(2);
  });

  it('backs off while its work fails, tells of it once, and begins anew after a success', async () => {
    const work = new Work((number) => {
      if (number !== 4) throw new Error(`failure ${number}`);
      return 0;
    });
    loopOf(work).start();
    await work.reached(6);
    const [first, second, third, afterSuccess, anew] = work.gaps();
    for (const [gap, least] of [
      [first, 100],
      [second, 200],
      [third, 400],
      [anew, 100],
    ] as const) {
      expect(gap).toBeGreaterThanOrEqual(least - 1);
    }
    expect(afterSuccess).toBeLessThan(100);
    expect(anew).toBeLessThan(400);
    expect(lines).toMatchObject([
      { level: 'warn', loop: 'worker bee', err: { message: 'failure 1' } },
      { level: 'warn', loop: 'worker bee', err: { message: 'failure 5' } },
    ]);
  });

  it('tells of an outage of Redis in a low voice: the connection tells of it already', async () => {
    const work = new Work((number) => {
      if (number === 1) throw new Error('Connection is closed.');
      return HOUR;
    });
    loopOf(work).start();
    await work.reached(2);
    expect(lines).toMatchObject([{ level: 'debug', loop: 'worker bee' }]);
  });

  it('survives work that throws before it promises anything', async () => {
    let ticks = 0;
    const reached = gate();
    const work: Ticking = {
      tick() {
        ticks += 1;
        if (ticks === 1) throw new Error('at once');
        reached.open();
        return Promise.resolve(HOUR);
      },
    };
    loopOf(work).start();
    await reached.opened;
    expect(ticks).toBe(2);
  });

  it('wakes from its back-off, too', async () => {
    const work = new Work((number) => {
      if (number === 5) return HOUR;
      loop?.wakeWithin(0);
      throw new Error('It fails.');
    });
    loopOf(work).start();
    await work.reached(5);
    for (const gap of work.gaps()) expect(gap).toBeLessThan(100);
  });

  it('finishes what there is to be done at once before it ends', async () => {
    const work = new Work((number) => (number === 1 || number === 4 ? HOUR : 0));
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    await started.finish(HOUR);
    expect(work.begun).toHaveLength(4);
    started.wakeWithin(0);
    await pause(20);
    expect(work.begun).toHaveLength(4);
  });

  it('finishes within the time that it has, whatever its work does', async () => {
    const work = new Work((number) => (number < 3 ? HOUR : new Promise<number>(() => undefined)));
    const started = loopOf(work);
    await started.finish(0);
    expect(work.begun).toHaveLength(0);
    started.start();
    await work.reached(1);
    await started.finish(20);
    expect(work.begun).toHaveLength(2);
    await started.finish(20);
    expect(work.begun).toHaveLength(3);
  });

  it('finishes within the time that it has, when what it is at hangs', async () => {
    let letGo: (restMs: number) => void = () => undefined;
    const work = new Work(() => new Promise<number>((resolve) => (letGo = resolve)));
    const started = loopOf(work);
    started.start();
    await work.reached(1);
    await started.finish(20);
    expect(work.begun).toHaveLength(1);
    letGo(HOUR);
  });

  it('leaves what fails at the end, and says so', async () => {
    const work = new Work(() => {
      throw new Error('It fails.');
    });
    await loopOf(work).finish(HOUR);
    expect(work.begun).toHaveLength(1);
    expect(lines).toMatchObject([{ level: 'warn', loop: 'worker bee', err: { message: 'It fails.' } }]);
  });
});
