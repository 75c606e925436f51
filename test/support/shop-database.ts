import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@antrean/shop';
import { migrate } from '../../libs/shop/src/migrations/migrate.js';
import { TestPostgres } from './test-postgres.js';

/** What the shop's data can lie in; each suite about them runs on both. */
export const DATABASES = ['SQLite', 'PostgreSQL'] as const;
export type DatabaseKind = (typeof DATABASES)[number];

/** Databases of a describe block's own, which end with it. */
export interface TestDatabases {
  /** The address of an empty one. */
  newUrl(): Promise<string>;
  /** One with its tables, and its address. */
  migrated(): Promise<{ readonly url: string; readonly database: Database }>;
  /** Where they are; only of PostgreSQL. */
  readonly server: TestPostgres;
}

export function testDatabases(kind: DatabaseKind): TestDatabases {
  let folder = '';
  let files = 0;
  let server: TestPostgres | undefined;
  const opened: Database[] = [];

  beforeAll(async () => {
    if (kind === 'SQLite') folder = await mkdtemp(join(tmpdir(), 'antrean-shop-'));
    else server = await TestPostgres.start();
  });

  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    if (kind === 'SQLite') await rm(folder, { recursive: true });
    await server?.stop();
  });

  const started = (): TestPostgres => {
    if (server === undefined) throw new Error(`There is no server of ${kind}.`);
    return server;
  };
  const newUrl = async (): Promise<string> => {
    files += 1;
    return kind === 'SQLite' ? `sqlite:${join(folder, `shop-${files}.db`)}` : started().newDatabase();
  };
  return {
    newUrl,
    migrated: async () => {
      const url = await newUrl();
      await migrate(url);
      const database = new Database(url);
      opened.push(database);
      return { url, database };
    },
    get server() {
      return started();
    },
  };
}

/** What the delivery ledger holds of each mail; a run that is over holds nothing. */
export async function markStates({ tables }: Database): Promise<readonly string[]> {
  const marks = await tables.selectFrom('deliveries').select('state').where('state', '<>', 'failed').execute();
  return marks.map(({ state }) => state);
}
