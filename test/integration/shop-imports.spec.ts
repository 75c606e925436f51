import { Customers, Imports, StaleImportError, type Database, type ImportState } from '@antrean/shop';
import { DATABASES, testDatabases } from '../support/shop-database.js';

const REJECTS = 1_200;

describe.each(DATABASES)('an import on %s', (kind) => {
  const databases = testDatabases(kind);
  let database: Database;
  let customers: Customers;
  let imports: Imports;
  let jobs = 0;

  beforeAll(async () => {
    ({ database } = await databases.migrated());
    customers = new Customers(database);
    imports = new Imports(database);
  });

  const open = () => {
    jobs += 1;
    return imports.open({ jobId: `job-${jobs}`, fileTag: '"1"', bytesTotal: 1_000 });
  };
  const reject = (line: number, column: string | null = 'email') => ({
    line,
    column,
    reason: 'is no e-mail',
    row: `x${line},"y\n"`,
  });
  /** A chunk with one new customer and one reject. */
  const chunk = (from: ImportState, name: string) =>
    database.transaction(async (transaction) => {
      const entries = [{ email: `${from.jobId}-${name}@example.com`, name }];
      const { inserted, updated } = await customers.upsert(transaction, entries);
      return imports.advance(transaction, from, {
        ...{ bytesRead: from.bytesRead + 100, place: { line: from.read + 2 }, imported: inserted, updated },
        rejects: [reject(from.read + 2)],
      });
    });
  const names = async (jobId: string) => {
    const rows = database.tables.selectFrom('customers').select('name').where('email', 'like', `${jobId}-%`).orderBy('id');
    return (await rows.execute()).map(({ name }) => name);
  };
  const rejectsOf = async (jobId: string) => {
    const found = [];
    for await (const one of imports.rejects(jobId)) found.push(one);
    return found;
  };

  it('begins at nothing, and is found where it was left', async () => {
    const begun = await open();
    const nothing = { place: undefined, bytesRead: 0, read: 0, imported: 0, updated: 0, rejected: 0, finishedAt: null };
    expect(begun).toEqual({
      jobId: begun.jobId,
      fileTag: '"1"',
      bytesTotal: 1_000,
      ...nothing,
    });
    const after = await chunk(begun, 'one');
    expect(after).toMatchObject({ bytesRead: 100, place: { line: 2 }, read: 2, imported: 1, updated: 0, rejected: 1 });
    expect(await imports.open(begun)).toEqual(after);
    expect(await imports.get(begun.jobId)).toEqual(after);
    expect(await imports.get('job-of-nobody')).toBeUndefined();
  });

  it('takes nothing from a run that another one has overtaken', async () => {
    const begun = await open();
    await chunk(begun, 'one');
    await expect(chunk(begun, 'zombie')).rejects.toThrow(StaleImportError);
    expect(await names(begun.jobId)).toEqual(['one']);
    expect(await rejectsOf(begun.jobId)).toHaveLength(1);
    expect(await imports.get(begun.jobId)).toMatchObject({ read: 2, imported: 1, rejected: 1 });
  });

  it('goes on by one of many runs that read the same chunk at once', async () => {
    const begun = await open();
    const runs = await Promise.allSettled(Array.from({ length: 6 }, (_, run) => chunk(begun, `run-${run}`)));
    expect(runs.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(runs.flatMap((run) => (run.status === 'rejected' ? [run.reason as unknown] : []))).toEqual(
      Array.from({ length: 5 }, () => expect.any(StaleImportError) as unknown),
    );
    expect(await names(begun.jobId)).toHaveLength(1);
  });

  it('keeps its rejects in the order of the file, however many', async () => {
    const begun = await open();
    const lines = Array.from({ length: REJECTS }, (_, index) => index + 2);
    let state = begun;
    for (const part of [lines.slice(0, 700), lines.slice(700)]) {
      const rejects = part.map((line) => reject(line, null));
      state = await database.transaction((transaction) =>
        imports.advance(transaction, state, { bytesRead: 500, place: {}, imported: 0, updated: 0, rejects }),
      );
    }
    expect(await rejectsOf(begun.jobId)).toEqual(lines.map((line) => reject(line, null)));
    expect(state.rejected).toBe(REJECTS);
  });

  it('is over once, and takes no more then', async () => {
    const state = await chunk(await open(), 'one');
    const { finishedAt } = await imports.finish(state);
    expect(finishedAt).toBeInstanceOf(Date);
    expect((await imports.finish(state)).finishedAt).toEqual(finishedAt);
    await expect(chunk(state, 'late')).rejects.toThrow(StaleImportError);
    await expect(imports.finish({ ...state, read: 0 })).rejects.toThrow(StaleImportError);
  });

  it('is forgotten with its rejects, however many, and not with its customers', async () => {
    const [spared, state] = [await chunk(await open(), 'kept'), await chunk(await open(), 'one')];
    const { jobId } = state;
    const rejects = Array.from({ length: 2 * 2_000 }, (_, line) => reject(line, null));
    await database.transaction((transaction) =>
      imports.advance(transaction, state, { bytesRead: 500, place: {}, imported: 0, updated: 0, rejects }),
    );
    const jobIds = async () => {
      const all: string[] = [];
      for await (const id of imports.jobIds()) all.push(id);
      return all;
    };
    expect(await jobIds()).toEqual(expect.arrayContaining([jobId, spared.jobId]));
    await imports.remove(jobId);
    await imports.remove(jobId);
    expect(await imports.get(jobId)).toBeUndefined();
    expect(await rejectsOf(jobId)).toEqual([]);
    expect(await names(jobId)).toEqual(['one']);
    expect(await imports.get(spared.jobId)).toEqual(spared);
    expect(await rejectsOf(spared.jobId)).toHaveLength(1);
    expect(await jobIds()).not.toContain(jobId);
  });
});
