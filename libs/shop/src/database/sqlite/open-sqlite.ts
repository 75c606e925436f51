import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type Sqlite from 'libsql';
import { UnfitDatabaseError } from '../database-errors.js';
import type { EngineSettings } from '../engine.js';
import { PreparedStatements } from './prepared-statements.js';
import { sqliteError } from './sqlite-errors.js';
import { whileBusy } from './while-busy.js';

/** How long one statement waits for others to end their writing, during which this process does nothing else. */
const BUSY_MS = 25;
const BEGINS = /^begin\b/i;
const SETTINGS = [
  'PRAGMA journal_mode = WAL',
  // Each commit is on the disk before it counts.
  'PRAGMA synchronous = FULL',
  'PRAGMA foreign_keys = ON',
];

/** Opens a file, and makes it and its folder where there are none. */
export async function openSqlite(file: string, settings: EngineSettings): Promise<SqliteDatabase> {
  await makeFolderOf(file);
  // Loaded only by those who use it.
  const { default: Libsql } = await import('libsql');
  const connection = told(() => new Libsql(file, { timeout: BUSY_MS }));
  // The change to a journal that is written ahead does not wait for others by itself.
  for (const setting of SETTINGS) await whileBusy(settings, () => told(() => connection.exec(setting)));
  const statements = new PreparedStatements((text) => connection.prepare(text));
  return {
    close: () => {
      statements.clear();
      connection.close();
    },
    prepare: (text) => (BEGINS.test(text) ? beginning(connection, text) : arranged(statements, text)),
  };
}

/** A prepared statement that found the file busy stays under way until it is collected, and no transaction can be committed till then. */
function beginning(connection: Sqlite.Database, text: string): SqliteStatement {
  const run = () => {
    told(() => connection.exec(text));
    return { changes: 0, lastInsertRowid: 0 };
  };
  return { reader: false, all: () => [], run, iterate: noLongRead };
}

/** It is carried out once. */
function arranged(statements: PreparedStatements, text: string): SqliteStatement {
  const statement = told(() => statements.take(text));
  const carryOut = <T>(call: () => T): T => {
    const answer = told(call);
    statements.giveBack(text, statement);
    return answer;
  };
  return {
    reader: statement.reader,
    all: (parameters) => carryOut(() => statement.all(bindable(parameters))),
    run: (parameters) => carryOut(() => statement.run(bindable(parameters))),
    iterate: noLongRead,
  };
}

/** Of these the driver would end the process, or cut a text short. */
function bindable(parameters: readonly unknown[]): unknown[] {
  for (const parameter of parameters) {
    if (typeof parameter === 'boolean') throw new TypeError('SQLite has no booleans: write 1 or 0.');
    if (typeof parameter === 'string' && parameter.includes('\0'))
      throw new TypeError('A text with a NUL character cannot be kept.');
  }
  return [...parameters];
}

function noLongRead(): never {
  throw new Error('One long read would keep all others of this process from the database: read in pages.');
}

async function makeFolderOf(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
  } catch (cause) {
    throw new UnfitDatabaseError(`The folder of the database file ${file} cannot be made. Make it, or set DATABASE_URL.`, {
      cause,
    });
  }
}

function told<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw sqliteError(error);
  }
}
