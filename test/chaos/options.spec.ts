import { FAULT_KINDS } from './fault-plan.js';
import { FaultNotAvailableError, OptionsError, readOptions, requireFaketime } from './options.js';

describe('the options of the fault campaign', () => {
  it('are ten minutes of a Redis that keeps every write, under a seed of its own, when there are none', () => {
    expect(readOptions([], 7)).toEqual({ seed: 7, minutes: 10, mode: 'always', soak: false, kinds: FAULT_KINDS });
  });

  it('set the seed, the length and what Redis keeps', () => {
    const args = ['--seed', '42', '--minutes', '1.5', '--mode', 'everysec'];
    expect(readOptions(args, 7)).toMatchObject({ seed: 42, minutes: 1.5, mode: 'everysec', soak: false });
  });

  it('ask for a soak, of three minutes at least', () => {
    expect(readOptions(['--soak'], 7)).toMatchObject({ seed: 7, minutes: 10, mode: 'always', soak: true });
    const message = '--minutes is "1", it must be a number from 3 to 600.';
    expect(() => readOptions(['--soak', '--minutes', '1'], 7)).toThrow(new OptionsError(message));
  });

  it('leave faults out', () => {
    const kinds = FAULT_KINDS.filter((kind) => kind !== 'clock' && kind !== 'cut');
    expect(readOptions(['--without', 'clock', '--without', 'cut'], 7)).toMatchObject({ kinds });
  });

  it('have to say so where no clock can be set', () => {
    const faketime = '/usr/lib/libfaketime.so';
    const requires = (args: readonly string[], library?: string) => () => {
      requireFaketime(readOptions(args, 7), library);
    };
    expect(requires([])).toThrow(FaultNotAvailableError);
    expect(requires([])).toThrow('--without clock');
    for (const args of [['--without', 'clock'], ['--soak']]) expect(requires(args)).not.toThrow();
    expect(requires([], faketime)).not.toThrow();
  });

  it.each([
    [['--without', 'clocks'], `--without is "clocks", it must be one of ${FAULT_KINDS.join(', ')}.`],
    [['--seed=-1'], '--seed is "-1", it must be a whole number from 0 to 4294967295.'],
    [['--seed', 'x'], '--seed is "x", it must be a whole number from 0 to 4294967295.'],
    [['--minutes', '0.5'], '--minutes is "0.5", it must be a number from 1 to 600.'],
    [['--minutes', 'long'], '--minutes is "long", it must be a number from 1 to 600.'],
    [['--mode', 'rdb'], '--mode is "rdb", it must be one of always, everysec, none.'],
  ])('say what is wrong with %j', (args, message) => {
    expect(() => readOptions(args, 7)).toThrow(new OptionsError(message));
  });

  it('say what there is instead of an option that there is not', () => {
    expect(() => readOptions(['--faults', 'all'], 7)).toThrow(/--faults[\s\S]+--seed N/);
  });
});
