import { OptionsError, readOptions } from './options.js';

const FIGURES = ['enqueue.1', 'enqueue.1.validated', 'idle.p50'];

describe('the options of the benchmark', () => {
  it('are a full run of everything when there are none', () => {
    const { mode, rounds, json, isWanted, profiles } = readOptions([], FIGURES);
    expect({ mode, rounds, json, profiles }).toEqual({ mode: 'full', rounds: 5, json: false, profiles: undefined });
    expect(FIGURES.every(isWanted)).toBe(true);
  });

  it('make a run quick, choose figures, and set the rounds', () => {
    const { mode, rounds, sizes, isWanted } = readOptions(['--quick', '--only', 'idle.*', '--rounds', '7'], FIGURES);
    expect({ mode, rounds }).toEqual({ mode: 'quick', rounds: 7 });
    expect(sizes.enqueueOne).toBeLessThan(readOptions([], FIGURES).sizes.enqueueOne);
    expect(FIGURES.filter(isWanted)).toEqual(['idle.p50']);
  });

  it('never make fewer than three rounds by themselves', () => {
    for (const args of [[], ['--quick']]) expect(readOptions(args, FIGURES).rounds).toBeGreaterThanOrEqual(3);
  });

  it.each([
    [['--only', 'idle'], 'No figure is called "idle". There are: enqueue.1, enqueue.1.validated, idle.p50.'],
    [['--rounds', '0'], '--rounds is "0", it must be a whole number from 1 to 1000.'],
    [['--rounds', 'three'], '--rounds is "three", it must be a whole number from 1 to 1000.'],
    [['--fast'], "Unknown option '--fast'"],
  ])('%j are refused with what there is', (args, message) => {
    expect(() => readOptions(args, FIGURES)).toThrow(OptionsError);
    expect(() => readOptions(args, FIGURES)).toThrow(message);
  });
});
