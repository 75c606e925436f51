import { eventually } from './eventually.js';
import type { FreshClone } from './fresh-clone.js';
import { CTRL_C, type Terminal } from './terminal.js';

/** The fields of a job that the tests of the start look at. */
export interface JobView {
  readonly status: string;
  readonly attempt: number;
  readonly attempts: readonly { readonly outcome: string | null }[];
}

/** What `npm start` brought up on a terminal. */
export class StartedAntrean {
  private constructor(
    readonly terminal: Terminal,
    readonly url: string,
    /** From the start of the script until both apps were ready, as it says. */
    readonly seconds: number,
  ) {}

  /** The address of its Redis, as it says. */
  get redis(): string {
    return /Redis +(redis:\S+)/.exec(this.terminal.screen)?.[1] ?? '';
  }

  /** Types the command; ports are chosen by the system. */
  static open(clone: FreshClone, env: NodeJS.ProcessEnv = {}): Terminal {
    return clone.open('npm', ['start'], { PORT: '0', WORKER_PORT: '0', ...env });
  }

  /** Resolves when it says that it is ready. */
  static async on(terminal: Terminal, withinMs?: number): Promise<StartedAntrean> {
    const [, seconds] = await terminal.sees(/Antrean is ready \(([\d.]+) s\)/, withinMs);
    const [, url = ''] = await terminal.sees(/API +(http:\S+)/);
    return new StartedAntrean(terminal, url, Number(seconds));
  }

  static async start(clone: FreshClone, env: NodeJS.ProcessEnv = {}): Promise<StartedAntrean> {
    return StartedAntrean.on(StartedAntrean.open(clone, env));
  }

  /** The status of `GET /health/ready`. */
  async readiness(): Promise<number> {
    return (await fetch(`${this.url}/health/ready`)).status;
  }

  /** Submits an e-mail and returns the job's id. */
  async submit(): Promise<string> {
    const response = await fetch(`${this.url}/jobs/email`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ to: 'ada@example.com', template: 'welcome', variables: { name: 'Ada' } }),
    });
    expect(response.status).toBe(202);
    // The HTTP contract promises the field.
    return ((await response.json()) as { readonly job_id: string }).job_id;
  }

  async job(id: string): Promise<JobView> {
    const response = await fetch(`${this.url}/jobs/${id}`);
    // The HTTP contract promises these fields.
    return (await response.json()) as JobView;
  }

  /** A job that is gone with the last second of a killed Redis needs no cancel. */
  async cancel(id: string): Promise<void> {
    const { status } = await fetch(`${this.url}/jobs/${id}/cancel`, { method: 'POST' });
    expect([200, 202, 404]).toContain(status);
  }

  async settled(id: string): Promise<JobView> {
    return eventually(async () => {
      const job = await this.job(id);
      expect(job).toMatchObject({ status: 'succeeded' });
      return job;
    }, 60_000);
  }

  /** Presses Ctrl-C once; resolves with the exit code. */
  async stop(): Promise<number> {
    this.terminal.type(CTRL_C);
    return this.terminal.ended;
  }
}
