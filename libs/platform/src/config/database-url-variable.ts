import { parseDatabaseUrl } from '../database/database-url.js';
import { Wrong, type Variable } from './variable.js';

/** Where the database of the shop is. The default serves one machine; several share a PostgreSQL. */
export const databaseUrl: Variable<string> = {
  name: 'DATABASE_URL',
  expected: 'the file of a SQLite database or the address of a PostgreSQL database',
  fallback: 'sqlite:.data/antrean.db',
  secret: true,
  parse: (text) => {
    try {
      parseDatabaseUrl(text);
      return text;
    } catch (error) {
      if (error instanceof TypeError) return new Wrong(`it ${error.message.replace(/\.$/, '')}`);
      throw error;
    }
  },
};
