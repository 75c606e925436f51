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
    if ((await this.roundsOf(connection, key).join()) !== stream)
      throw new NotReplicatedError('The connection was lost before a replica answered.');
    return answer;
  }

  private async connectionOf(key: string): Promise<{ readonly connection: Connection; readonly stream: unknown } | undefined> {
    const connection = masterOfKey(this.link.redis, key)?.connection;
    if (connection === undefined) return undefined;
    // A node of a Cluster is connected to when it is first needed.
    if (connection.status === 'wait') await connection.ping();
    return { connection, stream: connection.stream };
  }

  private roundsOf(connection: Connection, key: string): Rounds {
    let rounds = this.rounds.get(connection);
    if (rounds === undefined) {
      rounds = new Rounds(connection, key);
      this.rounds.set(connection, rounds);
    }
    return rounds;
  }
}

/** Asks a server for its replicas, once at a time: all that is written while it waits is asked for together. */
class Rounds {
  private current: Promise<unknown> | undefined;
  private next: Promise<unknown> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly key: string,
  ) {}

  /** Begins after this call. The connection that it was asked on. */
  join(): Promise<unknown> {
    if (this.current === undefined) return this.begin();
    this.next ??= this.current.then(
      () => this.begin(),
      () => this.begin(),
    );
    return this.next;
  }

  private begin(): Promise<unknown> {
    this.next = undefined;
    const round = this.ask().finally(() => {
      if (this.current === round) this.current = undefined;
    });
    this.current = round;
    return round;
  }

  /** WAIT covers what the connection itself wrote: a mark is written, behind all that jobs were. */
  private async ask(): Promise<unknown> {
    const { stream } = this.connection;
    const answers = await this.connection.pipeline().set(this.key, '', 'PX', MARK_MS).call('WAIT', 1, WAIT_MS).exec();
    const [, [failure, replicas] = []] = answers ?? [];
    const cause = answers?.[0]?.[0] ?? failure;
    if (cause || Number(replicas) < 1) throw new NotReplicatedError('No replica has acknowledged the write.', { cause });
    return stream;
  }
}
