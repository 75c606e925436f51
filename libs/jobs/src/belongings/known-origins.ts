import type { Logger } from '@antrean/platform';
import type { JobBelongings } from './job-belongings.js';

/** Time to find out that REDIS_URL is wrong or that Redis was emptied, and to bring its data back. */
const STRANGER_MS = 24 * 3_600_000;

/**
 * Which Redis the belongings of a type go with. To one that was emptied, or is another one, all jobs are gone: nothing is swept by it
 * before it has been the only one to ask for a day.
 */
export class KnownOrigins {
  private readonly answers = new Map<string, boolean>();

  constructor(
    private readonly belongings: JobBelongings,
    private readonly logger: Logger,
  ) {}

  /** From here on all is asked for anew: others may have written. */
  forget(): void {
    this.answers.clear();
  }

  /** Whether belongings of the type are swept by what this Redis says. @param now by its clock, in ms. */
  async allow(type: string, origin: string, now: number): Promise<boolean> {
    const asked = `${type} ${origin}`;
    const known = this.answers.get(asked);
    if (known !== undefined) return known;
    const answer = await this.look(type, origin, now);
    this.answers.set(asked, answer);
    return answer;
  }

  private async look(type: string, origin: string, now: number): Promise<boolean> {
    const kept = await this.belongings.originOf(type);
    if (kept?.origin === origin) return now >= kept.sweptFrom.getTime();
    const sweptFrom = new Date(kept === undefined ? now : now + STRANGER_MS);
    await this.belongings.keepOrigin(type, { origin, sweptFrom });
    if (kept === undefined) return true;
    this.logger.warn(
      { job_type: type, swept_from: sweptFrom.toISOString() },
      'Redis was emptied, or is another one than before: what its jobs have stored is kept for a day',
    );
    return false;
  }
}
