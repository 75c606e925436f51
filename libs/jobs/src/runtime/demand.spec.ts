import type { ExchangeReply } from '../store/exchange.js';
import { Demand, type Standing } from './demand.js';
import { Slots, type Share } from './slots.js';

const SLOTS = 10;
const standing: Standing = { running: 0, hasEnded: false, isQuiet: false };

function replyOf(claimed: number, idle: boolean): ExchangeReply {
  // Nothing else of a reply matters here.
  return { claimed: Array.from({ length: claimed }), idle } as unknown as ExchangeReply;
}

describe('what a worker asks for', () => {
  let share: Share;
  let demand: Demand;

  beforeEach(() => {
    share = new Slots(SLOTS).share(SLOTS, () => undefined);
    demand = new Demand(share, SLOTS / 2);
  });

  /** A call that is answered at once; the jobs it brings run on. */
  function call(claimed: number, idle: boolean): void {
    const ask = demand.ask(demand.next(standing) ?? 0);
    ask.answered(replyOf(claimed, idle));
    ask.over(claimed);
  }

  it('is as many jobs as there are free slots, and in a backlog its part of them', () => {
    expect(demand.next(standing)).toBe(SLOTS);
    call(2, false);
    expect(demand.next(standing)).toBe(SLOTS / 2);
    call(SLOTS / 2, false);
    expect(demand.next(standing)).toBe(3);
    call(0, true);
    share.release(7);
    demand.wake();
    expect(demand.next(standing)).toBe(SLOTS);
  });

  it('is nothing while there is no work, until a wake-up or a job to settle', () => {
    call(0, true);
    expect(demand.next(standing)).toBeUndefined();
    expect(demand.next({ ...standing, hasEnded: true })).toBe(SLOTS);
    demand.wake();
    expect(demand.next(standing)).toBe(SLOTS);
  });

  it('is more after a wake-up that came while an empty answer was on its way', () => {
    const ask = demand.ask(SLOTS);
    demand.wake();
    ask.answered(replyOf(0, true));
    ask.over(0);
    expect(demand.next(standing)).toBe(SLOTS);
  });

  it('is that another is told of a wake-up when all slots run, once', () => {
    call(SLOTS, true);
    demand.wake();
    expect(demand.next({ ...standing, running: SLOTS - 1 })).toBeUndefined();
    expect(demand.next({ ...standing, running: SLOTS })).toBe('pass_on');
    demand.ask('pass_on');
    expect(demand.next({ ...standing, running: SLOTS })).toBeUndefined();
  });

  it('is no job any more after the stop: another is told, the last runs are settled, and the worker leaves, once', () => {
    demand.stop();
    expect(demand.next(standing)).toBe('pass_on');
    demand.ask('pass_on');
    expect(demand.next(standing)).toBeUndefined();
    expect(demand.next({ ...standing, hasEnded: true })).toBe(0);
    expect(demand.next({ ...standing, isQuiet: true })).toBe('leave');
    demand.ask('leave');
    expect(demand.hasLeft).toBe(true);
    expect(demand.next({ ...standing, isQuiet: true })).toBeUndefined();
  });

  it('keeps no slots while Redis is away, and takes those it can get for what comes late', () => {
    const ask = demand.ask(SLOTS);
    ask.away();
    expect(share.taken).toBe(0);
    share.take(8);
    expect(ask.answered(replyOf(5, false))).toBe(2);
    expect(share.taken).toBe(SLOTS);
    ask.over(1);
    expect(share.taken).toBe(SLOTS - 1);
  });
});
