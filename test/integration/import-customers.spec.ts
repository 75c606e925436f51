import { Readable } from 'node:stream';
import { ImportCustomers, catalog } from '@antrean/catalog';
import { isFinal, type Job } from '@antrean/jobs';
import { Storage, parseStorageName } from '@antrean/platform';
import { Customers, Database, Imports, type Customer, type ImportReject } from '@antrean/shop';
import { ImportCustomersHandler } from '../../apps/worker/src/handlers/import-customers/import-customers.handler.js';
import { jobContext } from '../support/job-context.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';
import { folderStorage, type TestStorage } from '../support/stored-files.js';

const FILE = parseStorageName('uploads/customers.csv');
const ended = ({ status }: Job) => isFinal(status);

describe.each(DATABASES)('an import of customers into %s', (kind) => {
  const databases = testDatabases(kind);
  let files: TestStorage;
  let database: Database;
  let jobs: JobsApp;

  beforeEach(async () => {
    files = await folderStorage();
    ({ database } = await databases.migrated());
    const providers = [
      ImportCustomersHandler,
      Customers,
      Imports,
      { provide: Database, useValue: database },
      { provide: Storage, useValue: files.storage },
    ];
    jobs = await startJobsApp(catalog, providers, { types: [ImportCustomers.type] });
  });

  afterEach(async () => {
    await jobs.close();
    await files.remove();
  });

  const upload = (text: string) => files.storage.write(FILE, Readable.from([Buffer.from(text)]));
  const run = async (charset?: string): Promise<Job> => {
    const payload = { file_key: FILE, user_id: 'ana', ...(charset !== undefined && { charset }) };
    const { jobId } = await jobs.queue.enqueue(ImportCustomers, payload, { maxAttempts: 1 });
    return jobs.until(jobId, ended);
  };
  const customers = async (): Promise<readonly Customer[]> => {
    const all: Customer[] = [];
    for await (const customer of new Customers(database).stream()) all.push(customer);
    return all;
  };
  const rejects = async (jobId: string): Promise<readonly ImportReject[]> => {
    const all: ImportReject[] = [];
    for await (const reject of new Imports(database).rejects(jobId)) all.push(reject);
    return all;
  };

  it('writes new customers and known ones, and keeps the rows that it cannot take', async () => {
    await upload('Name;E-Mail\nAda;ada@example.com\n');
    await upload('Name;Email;Country\nAda;ADA@example.com;gb\n"Bob; Jr";bob@example.com;\n;carol@example.com;\nDan;dan;\n');
    expect(await run()).toMatchObject({ status: 'succeeded', result: { read: 4, imported: 3, updated: 0, rejected: 1 } });
    const second = await run();
    expect(second).toMatchObject({ status: 'succeeded', result: { read: 4, imported: 0, updated: 3, rejected: 1 } });
    expect(second.progress).toMatchObject({ percent: 100, data: { read: 4 } });
    const found = (await customers()).map(({ email, name, country }) => ({ email, name, country }));
    expect(found.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { email: 'carol@example.com', name: '', country: null },
      { email: 'ADA@example.com', name: 'Ada', country: 'GB' },
      { email: 'bob@example.com', name: 'Bob; Jr', country: null },
    ]);
    expect(await rejects(second.jobId)).toMatchObject([{ line: 5, column: 'email', row: 'Dan;dan;' }]);
  });

  it.each(['email\n', 'email\nada@example.com\n\n\n'])('has read %j to its end', async (text) => {
    await upload(text);
    const { jobId } = await run();
    expect(await new Imports(database).get(jobId)).toMatchObject({ bytesRead: text.length, bytesTotal: text.length });
  });

  it('leaves what a row does not tell of a known customer as it was', async () => {
    await upload('email,name,phone\nada@example.com,Ada,+62 21 555\n');
    await run();
    await upload('email,name,country\nada@example.com,,ID\n');
    await run();
    expect(await customers()).toMatchObject([{ name: 'Ada', phone: '+62 21 555', country: 'ID' }]);
  });

  it.each([
    ['an empty file', '', 'import_file_empty'],
    ['a spreadsheet', 'PK\u0003\u0004 xl/workbook.xml', 'import_file_not_csv'],
    ['a file without a header', 'ada@example.com,Ada\n', 'import_header_missing'],
  ])('fails for good with %s, and says what it found', async (_what, text, code) => {
    await upload(text);
    const { status, runs } = await run();
    expect({ status, code: runs.at(-1)?.error?.code }).toEqual({ status: 'failed', code });
  });

  it('fails for good when there is no such file', async () => {
    const { status, runs } = await run();
    expect({ status, error: runs.at(-1)?.error }).toMatchObject({ status: 'failed', error: { code: 'import_file_gone' } });
  });

  it('goes on where a run that was cut off had come to, and writes no row twice', async () => {
    const rows = Array.from({ length: 2_300 }, (_, row) => (row % 100 === 7 ? `nobody,${row}` : `c${row}@example.com,${row}`));
    await upload(`email,name\n${rows.join('\n')}\n`);
    const handler = jobs.app.get(ImportCustomersHandler);
    const jobId = 'import.customers_01J8PP1PKH282P1K2YVH454RJD';
    for (const chunks of [1, 2]) {
      const cut = new AbortController();
      let told = 0;
      const context = jobContext(
        ImportCustomers,
        { file_key: FILE, user_id: 'ana' },
        {
          jobId,
          signal: cut.signal,
          progress: () => {
            told += 1;
            if (told === chunks) cut.abort(new Error('cut off'));
          },
        },
      );
      await expect(handler.handle(context)).rejects.toThrow('cut off');
    }
    expect(await new Imports(database).get(jobId)).toMatchObject({ read: 1_500, finishedAt: null });
    const last = await handler.handle(jobContext(ImportCustomers, { file_key: FILE, user_id: 'ana' }, { jobId }));
    expect(last).toEqual({ read: 2_300, imported: 2_277, updated: 0, rejected: 23 });
    expect(await customers()).toHaveLength(2_277);
    expect((await rejects(jobId)).map(({ line }) => line)).toEqual(Array.from({ length: 23 }, (_, nth) => 100 * nth + 9));
  });

  it('does not begin with a file that was replaced since it was looked up', async () => {
    await upload('email\nada@example.com\n');
    const old = await files.storage.stat(FILE);
    await upload('email\nbob@example.com\n');
    jest.spyOn(files.storage, 'stat').mockResolvedValueOnce(old);
    const { runs } = await run();
    expect(runs.at(-1)?.error).toMatchObject({ code: 'import_file_changed' });
    expect(await customers()).toEqual([]);
  });

  it('does not go on in a file that was replaced', async () => {
    await upload('email\nada@example.com\n');
    const { jobId } = await run();
    await upload('email\nbob@example.com\n');
    await jobs.control.replay(jobId);
    const { runs } = await jobs.until(jobId, ended);
    expect(runs.at(-1)?.error).toMatchObject({ code: 'import_file_changed' });
    expect(await customers()).toHaveLength(1);
  });
});
