import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ImportCustomersPayload } from './import-customers.job.js';

function faultsOf(charset: unknown): string[] {
  const payload = plainToInstance(ImportCustomersPayload, { file_key: 'uploads/a.csv', user_id: 'ana', charset });
  const errors = validateSync(payload, { whitelist: true, forbidNonWhitelisted: true });
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {}));
}

describe('the charset of an import', () => {
  it.each([undefined, 'utf-8', 'UTF-8', 'utf-16be', 'latin1', 'Windows-1251', 'shift_jis', 'iso-8859-2', 'gb18030'])(
    'may be %j',
    (charset) => {
      expect(faultsOf(charset)).toEqual([]);
    },
  );

  it.each([
    ['one that nobody knows', 'utf-9'],
    ['one of which rows cannot be told apart', 'iso-2022-jp'],
    ['by a label of it', 'csiso2022jp'],
    ['a charset that was given up', 'iso-2022-kr'],
    ['nothing', ''],
    ['long', 'x'.repeat(500)],
    ['no text', 8],
    ['null', null],
  ])('may not be %s: %j', (_what, charset) => {
    expect(faultsOf(charset)).toEqual([expect.stringMatching(/^charset must be a label of a charset, such as utf-8/)]);
  });
});
