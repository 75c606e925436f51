import type Sqlite from 'libsql';

/** A statement of many rows takes some 100 KiB. Texts come again and again, those that write rows in as many forms as there are numbers of rows. */
const MOST_KEPT = 64;

/**
 * Statements of a connection, made once for each text. The driver frees one only when it is collected, and nothing tells the collector
 * how large they are: made for each call, they take all the memory there is.
 */
export class PreparedStatements {
  /** The one that was used last at the end. */
  private readonly kept = new Map<string, Sqlite.Statement>();

  constructor(private readonly prepare: (text: string) => Sqlite.Statement) {}

  /** One that nobody else has until it is given back; one that failed is not to be. */
  take(text: string): Sqlite.Statement {
    const statement = this.kept.get(text) ?? this.prepare(text);
    this.kept.delete(text);
    return statement;
  }

  giveBack(text: string, statement: Sqlite.Statement): void {
    this.kept.set(text, statement);
    const [oldest] = this.kept.size > MOST_KEPT ? this.kept.keys() : [];
    if (oldest !== undefined) this.kept.delete(oldest);
  }

  /** Lets go of all, without which the connection would not close. */
  clear(): void {
    this.kept.clear();
  }
}
