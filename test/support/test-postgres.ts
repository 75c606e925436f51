import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { USER, layEmptyCluster } from './empty-cluster.js';
import { freePort } from './free-port.js';
import { account, program } from './postgres-package.js';

const READY = 'database system is ready to accept connections';

/** A PostgreSQL of a test's own, to be stopped and started again on the same port and the same data. */
export class TestPostgres {
  private frozen: readonly number[] = [];

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private server: ChildProcess,
  ) {}

  /** Resolves once it takes connections. */
  static async start(): Promise<TestPostgres> {
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'antrean-postgres-'));
    const { uid, gid } = account();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    layEmptyCluster(folder);
    return new TestPostgres(port, folder, await launch(port, folder));
  }

  /** Of a new and empty database. */
  async newDatabase(): Promise<string> {
    const name = `test_${randomUUID().slice(0, 8)}`;
    await this.run(`create database ${name}`);
    return `postgres://${USER}@127.0.0.1:${this.port}/${name}`;
  }

  /** As if it crashed: connections break, and what was committed is kept. */
  async kill(): Promise<void> {
    await end(this.server, 'SIGQUIT');
  }

  /** Starts it again after a `kill`. */
  async restart(): Promise<void> {
    this.server = await launch(this.port, this.folder);
  }

  /** It stands still, though its connections stay, until it is thawed. */
  freeze(): void {
    const { pid } = this.server;
    if (pid === undefined) throw new Error('There is no PostgreSQL.');
    // First itself: then there is no new one for a connection.
    process.kill(pid, 'SIGSTOP');
    const ofConnections = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map(Number);
    this.frozen = [...ofConnections.filter((one) => isStopped(one)), pid];
  }

  thaw(): void {
    for (const pid of this.frozen) process.kill(pid, 'SIGCONT');
    this.frozen = [];
  }

  /** Ends it and removes its data. */
  async stop(): Promise<void> {
    // One that stands still would not hear the other signal.
    this.thaw();
    await end(this.server, 'SIGINT');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async run(statement: string): Promise<void> {
    const client = new Client({ connectionString: `postgres://${USER}@127.0.0.1:${this.port}/${USER}` });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}

/** Stops a process that stands for a connection; false when it has ended meanwhile. */
function isStopped(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGSTOP');
  } catch {
    return false;
  }
}

async function launch(port: number, folder: string): Promise<ChildProcess> {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'shared_buffers=16MB',
    'max_connections=60',
  ];
  const args = ['-D', join(folder, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(program('postgres'), args, { ...account(), cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  for await (const line of createInterface({ input: server.stderr })) {
    log += `${line}\n`;
    if (line.includes(READY)) {
      // Nobody reads on, and a full pipe would hold the server.
      server.stderr.resume();
      return server;
    }
  }
  throw new Error(`PostgreSQL did not start:\n${log}`);
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isAlive(server)) return;
  const exited = once(server, 'exit');
  server.kill(signal);
  await exited;
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
