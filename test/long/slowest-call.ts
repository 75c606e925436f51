import type { RedisConnection } from '@antrean/platform';

/** Faster calls are not worth an entry; logging every command that scripts make would slow them down. */
const LOG_FROM_US = 100;
const ROUNDS = 3;

/** What one call of an operation costs Redis. */
export interface CallCost {
  /** Longest single call: the best of three maxima, as the machine may be busy with other things. */
  readonly longestMs: number;
  /** Likewise, by the processor time that Redis' main thread spent, which is the same on a busy machine. */
  readonly longestCpuMs: number;
  /** The most commands that one call made, itself aside. */
  readonly commands: number;
}

/** One way to call a script. */
export interface Operation {
  readonly name: string;
  /** Calls a round. */
  readonly calls: number;
  /** Jobs that one call is about; the commands it makes are bounded by it. */
  readonly jobs: number;
  /** Puts up what the next call is to find, and answers with the call. */
  readonly prepare: () => Promise<() => Promise<unknown>>;
}

export class SlowestCall {
  constructor(private readonly redis: RedisConnection) {}

  async open(): Promise<void> {
    await this.redis.config('SET', 'slowlog-log-slower-than', LOG_FROM_US);
    await this.redis.config('SET', 'slowlog-max-len', 10_000);
  }

  async of(operation: Operation): Promise<CallCost> {
    // The first call may have to bring the script's text.
    await (
      await operation.prepare()
    )();
    const rounds: CallCost[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await this.round(operation));
    return {
      longestMs: Math.min(...rounds.map(({ longestMs }) => longestMs)),
      longestCpuMs: Math.min(...rounds.map(({ longestCpuMs }) => longestCpuMs)),
      commands: Math.max(...rounds.map(({ commands }) => commands)),
    };
  }

  private async round({ prepare, calls }: Operation): Promise<CallCost> {
    let longestUs = 0;
    let longestCpuMs = 0;
    let commands = 0;
    for (let made = 0; made < calls; made += 1) {
      const call = await prepare();
      await this.redis.call('SLOWLOG', 'RESET');
      const before = await this.commandsMade();
      const cpuBefore = await this.cpuMs();
      await call();
      longestCpuMs = Math.max(longestCpuMs, (await this.cpuMs()) - cpuBefore);
      commands = Math.max(commands, (await this.commandsMade()) - before);
      longestUs = Math.max(longestUs, await this.longestScriptUs());
    }
    return { longestMs: longestUs / 1_000, longestCpuMs, commands };
  }

  /** Commands so far, those by which this is asked and the call itself left out. */
  private async commandsMade(): Promise<number> {
    const info = await this.redis.info('commandstats');
    const counts = [...info.matchAll(/^cmdstat_([\w|-]+):calls=(\d+)/gm)];
    return counts.reduce((sum, [, name = '', calls]) => (ASKING.test(name) ? sum : sum + Number(calls)), 0);
  }

  private async cpuMs(): Promise<number> {
    const info = await this.redis.info('cpu');
    const seconds = [...info.matchAll(/^used_cpu_(?:user|sys)_main_thread:([\d.]+)/gm)].map(([, text]) => Number(text));
    return seconds.reduce((sum, each) => sum + each, 0) * 1_000;
  }

  private async longestScriptUs(): Promise<number> {
    // Each entry is its number, when it was, how long it took in us, and the command.
    const entries = (await this.redis.call('SLOWLOG', 'GET', -1)) as [number, number, number, string[]][];
    return Math.max(0, ...entries.filter(([, , , [name]]) => name === 'evalsha').map(([, , us]) => us));
  }
}

const ASKING = /^(info|slowlog|evalsha|eval|config)/;
