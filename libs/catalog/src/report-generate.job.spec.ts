import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ExportGenerate, ExportGeneratePayload } from './export-generate.job.js';
import { ReportGenerate, ReportGeneratePayload } from './report-generate.job.js';

const report = { report: 'orders', format: 'csv', user_id: 'ana' };
const [january, february] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];

function faults(payloadClass: new () => object, payload: object): string[] {
  const errors = validateSync(plainToInstance(payloadClass, payload), { whitelist: true, forbidNonWhitelisted: true });
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {}));
}

const NO_TIME = 'must be a time in UTC with milliseconds, such as 2026-01-31T00:00:00.000Z';

describe('the payload of a report', () => {
  it.each([
    report,
    { ...report, report: 'customers', format: 'pdf' },
    { ...report, from: january },
    { ...report, to: february },
    { ...report, from: january, to: february },
  ])('is taken: %j', (payload) => {
    expect(faults(ReportGeneratePayload, payload)).toEqual([]);
  });

  it.each<readonly [fault: string, changes: object]>([
    ['report must be one of customers, orders', { report: 'items' }],
    ['format must be one of csv, pdf', { format: 'json' }],
    ['user_id must have 1 to 128 characters', { user_id: '' }],
    ['user_id must not hold line breaks or other control characters', { user_id: 'a\nb' }],
    ['to must be later than from', { from: january, to: january }],
    ['to must be later than from', { from: february, to: january }],
    ...['2026-01-01', '2026-01-01T00:00:00Z', '2026-02-30T00:00:00.000Z', '2026-01-01T24:00:00.000Z', '', 5, null].flatMap(
      (time) => [[`from ${NO_TIME}`, { from: time }] as const, [`to ${NO_TIME}`, { to: time, from: january }] as const],
    ),
  ])('is refused: %s', (fault, changes) => {
    expect(faults(ReportGeneratePayload, { ...report, ...changes })).toEqual([fault]);
  });
});

describe('the payload of an export', () => {
  it.each(['csv', 'json', 'pdf'])('is taken as %s', (format) => {
    expect(faults(ExportGeneratePayload, { user_id: 'ana', format })).toEqual([]);
  });

  it('is refused as anything else', () => {
    expect(faults(ExportGeneratePayload, { user_id: 'ana', format: 'xlsx' })).toEqual(['format must be one of csv, json, pdf']);
  });
});

describe('the dedupe key', () => {
  const keyOf = (payload: object) => ReportGenerate.dedupe.key(plainToInstance(ReportGeneratePayload, payload));

  it('is the same for the same fields in any order', () => {
    expect(keyOf({ user_id: 'ana', format: 'csv', report: 'orders' })).toBe(keyOf(report));
  });

  it('is another as soon as one field is', () => {
    const others = [{ report: 'customers' }, { format: 'pdf' }, { user_id: 'bob' }, { from: january }, { to: january }];
    const keys = [report, ...others.map((changes) => ({ ...report, ...changes }))].map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('answers with the report that there is, for as long as its result is kept', () => {
    for (const { dedupe } of [ReportGenerate, ExportGenerate]) {
      expect(dedupe).toMatchObject({ policy: 'until_result_expires', onDuplicate: 'existing' });
    }
  });
});
