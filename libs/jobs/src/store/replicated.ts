import { masterOfKey, type RedisMaster } from '@antrean/platform';
import { NotReplicatedError } from '../definition/errors.js';
import type { Link } from './link.js';

/** A replica that is there answers within this. Meanwhile the connection carries nothing else. */
const WAIT_MS = 500;
/** The mark is gone again after this. */
const MARK_MS = 10_000;

type Connection = RedisMaster['connection'];

/** Sees to it that what was written to one server has reached a replica. */
export class ReplicaGate {
  private readonly rounds = new WeakMap<Connection, Rounds>();

  constructor(private readonly link: Link) {}

  /**
   * Writes to a type, and resolves once a replica has it, and all that was written before.
   * @throws {NotReplicatedError} when none says so in time; the write may stand all the same
   */
  async pass<T>(type: string, write: () => Promise<T>): Promise<T> {
    const key = this.link.keys(type).replicated;
    const before = await this.connectionOf(key);
    const answer = await write();
    const after = await this.connectionOf(key);
    // Another connection may lead to another master, which never saw the write.
    if (before?.stream !== after?.stream || after === undefined)
      throw new NotReplicatedError('The connection was lost after the write.');
    const { connection, stream } = after;
    const round = await this.roundsOf(connection).join(key);
    if (round.stream !== stream) throw new NotReplicatedError('The connection was lost before a replica answered.');
    const cause = round.unmarked.get(key);
    // The write has gone on to another server, with its slot, and who knows whether to a replica of that.
    if (cause !== undefined) throw new NotReplicatedError('The server no longer takes writes to the type.', { cause });
    return answer;
  }

  private async connectionOf(key: string): Promise<{ readonly connection: Connection; readonly stream: unknown } | undefined> {
    const connection = masterOfKey(this.link.redis, key)?.connection;
    if (connection === undefined) return undefined;
    // A node of a Cluster is connected to when it is first needed.
    if (connection.status === 'wait') await connection.ping();
    return { connection, stream: connection.stream };
  }

  private roundsOf(connection: Connection): Rounds {
    let rounds = this.rounds.get(connection);
    if (rounds === undefined) {
      rounds = new Rounds(connection);
      this.rounds.set(connection, rounds);
    }
    return rounds;
  }
}

/** What a server's replicas have. */
interface Round {
  /** The connection that was asked on. */
  readonly stream: unknown;
  /** By key, why the server took no mark of its type. */
  readonly unmarked: ReadonlyMap<string, Error>;
}

/** Asks a server for its replicas, once at a time: all that is written while it waits is asked for together. */
class Rounds {
  private current: Promise<Round> | undefined;
  private next: Promise<Round> | undefined;
  /** Keys of the types that the next round is for. */
  private readonly joined = new Set<string>();

  constructor(private readonly connection: Connection) {}

  /** A round that begins after this call and marks the key. */
  join(key: string): Promise<Round> {
    this.joined.add(key);
    // Between the end of one round and the begin of the next there are turns in which others join: theirs is the next, too.
    if (this.next !== undefined) return this.next;
    if (this.current === undefined) return this.begin();
    this.next = this.current.then(
      () => this.begin(),
      () => this.begin(),
    );
    return this.next;
  }

  private begin(): Promise<Round> {
    this.next = undefined;
    const keys = [...this.joined];
    this.joined.clear();
    const round = this.ask(keys).finally(() => {
      if (this.current === round) this.current = undefined;
    });
    this.current = round;
    return round;
  }

  /**
   * WAIT covers what the connection itself wrote: marks are written, behind all that jobs were. Each type has its own, as a
   * server of a Cluster may hand on the slot of one and keep those of others.
   */
  private async ask(keys: readonly string[]): Promise<Round> {
    const { stream } = this.connection;
    const pipeline = this.connection.pipeline();
    for (const key of keys) pipeline.set(key, '', 'PX', MARK_MS);
    const answers = (await pipeline.call('WAIT', 1, WAIT_MS).exec()) ?? [];
    const [cause, replicas] = answers.at(-1) ?? [];
    if (cause || Number(replicas) < 1) throw new NotReplicatedError('No replica has acknowledged the write.', { cause });
    const failed = keys.flatMap((key, nth) => (answers[nth]?.[0] ? [[key, answers[nth][0]] as const] : []));
    return { stream, unmarked: new Map(failed) };
  }
}
