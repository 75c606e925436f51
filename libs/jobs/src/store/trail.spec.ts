import fc from 'fast-check';
import { UnreadableRecordError } from './record.js';
import { RUN_OUTCOMES, parseRun } from './trail.js';

const ERROR = { name: 'Error', code: 'error', message: 'It failed.' };

describe('parseRun', () => {
  it('reads a run that failed', () => {
    expect(parseRun(3, `1700000000000 1700000000250 failed 4503599627370495 1700000001000 ${JSON.stringify(ERROR)}`)).toEqual({
      number: 3,
      workerId: '4503599627370495',
      startedAt: new Date(1_700_000_000_000),
      finishedAt: new Date(1_700_000_000_250),
      outcome: 'failed',
      error: ERROR,
      nextAttemptAt: new Date(1_700_000_001_000),
    });
  });

  it('reads a run after which the job does not run again', () => {
    expect(parseRun(1, `1 2 timed_out 7 0 ${JSON.stringify(ERROR)}`)).toMatchObject({
      outcome: 'timed_out',
      nextAttemptAt: null,
    });
  });

  it('reads a run without an error', () => {
    expect(parseRun(1, '1 2 handed_back 7 2 ')).toMatchObject({ outcome: 'handed_back', error: null });
  });

  it('reads every outcome and every error, with spaces and line feeds in it', () => {
    const errors = fc.record({ name: fc.string(), code: fc.string(), message: fc.string({ unit: 'binary' }) });
    fc.assert(
      fc.property(fc.constantFrom(...RUN_OUTCOMES), errors, fc.boolean(), (outcome, error, spaced) => {
        const json = JSON.stringify(error, undefined, spaced ? 2 : 0);
        expect(parseRun(1, `1 2 ${outcome} 7 0 ${json}`)).toMatchObject({ outcome, error });
      }),
    );
  });

  it.each([
    '',
    'nonsense',
    '1 2 failed 7 0',
    '1 2 failed 7',
    ' 1 2 failed 7 0 ',
    '1 2 exploded 7 0 ',
    '1 2 FAILED 7 0 ',
    '-1 2 failed 7 0 ',
    '1.5 2 failed 7 0 ',
    '1 nan failed 7 0 ',
    '1 2 failed 7 inf ',
    '1 2 failed 7 0 {"name":',
    '1 2 failed 7 0 no JSON',
  ])('refuses %j, naming the run', (text) => {
    expect(() => parseRun(12, text)).toThrow(UnreadableRecordError);
    expect(() => parseRun(12, text)).toThrow('Run 12 of a trail cannot be read.');
  });
});
