import { PermanentError } from '../definition/errors.js';
import { resultJson } from './result-json.js';

const thrownBy = (result: unknown): unknown => {
  try {
    return resultJson(result);
  } catch (error) {
    return error;
  }
};

describe('a result', () => {
  it('is kept as JSON, nothing as nothing', () => {
    expect(resultJson(undefined)).toBe('');
    expect(resultJson(null)).toBe('null');
    expect(resultJson({ at: new Date(0), left: undefined, list: [] })).toBe('{"at":"1970-01-01T00:00:00.000Z","list":[]}');
  });

  it.each<[string, unknown, string]>([
    ['a map', { rows: { byName: new Map([['a', 1]]) } }, '/rows/byName is a Map'],
    ['NaN', { mean: [1, Number.NaN] }, '/mean/1 is NaN'],
    ['a date that is none', { due: new Date(Number.NaN) }, '/due is an invalid Date'],
    ['a set outright', new Set([1]), 'it is a Set'],
    ['a function', () => 1, 'it cannot be written as JSON'],
    ['a big number', { rows: 1n }, 'it cannot be written as JSON'],
  ])('that JSON would lose buries the job and says where it is: %s', (_what, result, message) => {
    const error = thrownBy(result);
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({ code: 'result_not_serializable', message: expect.stringContaining(message) as string });
  });

  it('that is too large buries the job', () => {
    expect(thrownBy('x'.repeat(70_000))).toMatchObject({ code: 'result_too_large' });
  });
});
