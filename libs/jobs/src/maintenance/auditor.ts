import { formatJobId } from '../definition/job-id.js';
import type { Ticking } from '../runtime/loop.js';
import { MAX_JOBS_PER_AUDIT, audit, type Audited } from '../store/audit.js';
import { isRedisTrouble } from '../store/availability.js';
import { JobScan } from '../store/job-scan.js';
import type { MaintenanceContext } from './maintenance-context.js';

/** Pages of one round come this far apart, and rounds that far: it is a net under all else, and must cost nothing. */
const PAGE_PACE_MS = 2_000;
const ROUND_PACE_MS = 6 * 3_600_000;

/** Goes through all jobs now and then, lists those again that stand in no structure and would never be seen, and tells of records that are none. */
export class Auditor implements Ticking {
  private scan: JobScan | undefined;
  private rested = false;

  constructor(
    private readonly types: ReadonlySet<string>,
    private readonly context: MaintenanceContext,
  ) {}

  async tick(): Promise<number> {
    if (!this.rested) {
      // Workers that start together do not go through everything together.
      this.rested = true;
      return Math.random() * ROUND_PACE_MS;
    }
    return this.auditPage();
  }

  /**
   * Looks at the next page of jobs, again when that failed. Answers in how many milliseconds the one after it is to be looked at.
   * @throws when Redis is away or refuses.
   */
  async auditPage(): Promise<number> {
    this.scan ??= new JobScan(this.context.link);
    const page = await this.scan.page();
    if (page === undefined) {
      this.scan = undefined;
      return ROUND_PACE_MS;
    }
    for (const type of new Set(page.map((job) => job.type))) {
      if (this.types.has(type))
        await this.audit(
          type,
          page.filter((job) => job.type === type).map(({ ulid }) => ulid),
        );
    }
    this.scan.passOn();
    return PAGE_PACE_MS;
  }

  private async audit(type: string, ulids: readonly string[]): Promise<void> {
    for (let i = 0; i < ulids.length; i += MAX_JOBS_PER_AUDIT) {
      const some = ulids.slice(i, i + MAX_JOBS_PER_AUDIT);
      const { relisted, spoilt, woke } = await this.auditSome(type, some);
      if (woke) this.context.rouser.woke(type);
      for (const ulid of relisted) {
        this.context.options.logger.warn(
          { job_id: formatJobId({ type, ulid }), job_type: type },
          'job stood in no structure and is listed again',
        );
      }
      for (const ulid of spoilt) {
        this.context.options.logger.error(
          { job_id: formatJobId({ type, ulid }), job_type: type, key: this.context.link.keys(type).job(ulid) },
          'job has a record that is none and counts as gone, its key stays to be looked at',
        );
      }
    }
  }

  /** Jobs that cannot be looked at, because something of the type is spoilt, must not keep the round from all others. */
  private async auditSome(type: string, ulids: readonly string[]): Promise<Audited> {
    try {
      return await audit(this.context.link, type, ulids);
    } catch (error) {
      if (isRedisTrouble(error)) throw error;
      const job_ids = ulids.map((ulid) => formatJobId({ type, ulid }));
      this.context.options.logger.error({ err: error, job_type: type, job_ids }, 'jobs cannot be audited');
      return { relisted: [], spoilt: [], woke: false };
    }
  }
}
