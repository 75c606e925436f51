import { mastersOf, type RedisMaster } from '@antrean/platform';
import type { JobId } from '../definition/job-id.js';
import type { Link } from './link.js';
import { ServersAwayError } from './server-facts.js';

const PAGE = 100;

interface Place {
  readonly server: string;
  readonly cursor: string;
}

/** All jobs there are, some at a time: every key of the servers is passed once. It keeps its place when a call fails. */
export class JobScan {
  private readonly passed = new Set<string>();
  private place: Place | undefined;
  private read: { readonly jobs: readonly JobId[]; readonly next: Place } | undefined;

  constructor(private readonly link: Link) {}

  /**
   * The same page until it is {@link JobScan.passOn passed}; undefined when all were.
   * @throws when Redis is away, or any server of a Cluster.
   */
  async page(): Promise<readonly JobId[] | undefined> {
    if (this.read !== undefined) return this.read.jobs;
    const { masters, away } = await mastersOf(this.link.redis);
    // The client lists no node that it has lost, which then would count as passed.
    if (away.length > 0) throw new ServersAwayError(away);
    const servers = new Map(masters.map(({ address, connection }) => [address, connection]));
    // A server that is master no more takes its place along: what a cursor means, it alone knows.
    if (this.place === undefined || !servers.has(this.place.server)) this.place = this.nextPlace(servers);
    const server = this.place && servers.get(this.place.server);
    if (this.place === undefined || server === undefined) return undefined;
    const prefix = this.link.keyPrefix;
    const [cursor, keys] = await server.scan(this.place.cursor, 'MATCH', `${escaped(prefix)}:{*}:job:*`, 'COUNT', PAGE);
    const jobs = keys.map((key) => {
      const end = key.lastIndexOf('}:job:');
      return { type: key.slice(prefix.length + 2, end), ulid: key.slice(end + '}:job:'.length) };
    });
    this.read = { jobs, next: { server: this.place.server, cursor } };
    return jobs;
  }

  /** The page is done with. */
  passOn(): void {
    if (this.read === undefined) return;
    const { next } = this.read;
    this.read = undefined;
    this.place = next.cursor === '0' ? undefined : next;
    if (this.place === undefined) this.passed.add(next.server);
  }

  private nextPlace(servers: ReadonlyMap<string, RedisMaster['connection']>): Place | undefined {
    const server = [...servers.keys()].find((name) => !this.passed.has(name));
    return server === undefined ? undefined : { server, cursor: '0' };
  }
}

/** A prefix in a pattern means itself. */
function escaped(prefix: string): string {
  return prefix.replaceAll(/[\\*?[\]]/g, '\\$&');
}
