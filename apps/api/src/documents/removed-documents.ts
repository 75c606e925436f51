import { Injectable } from '@nestjs/common';
import { ControlService, IllegalTransitionError, StatusService, type EnqueuedJob } from '@antrean/jobs';
import { PassingStorageError, Storage, type StorageName } from '@antrean/platform';
import { jobFile } from '../files/job-file.js';

/** Documents whose file somebody removed while their job is kept: it would be the answer to all who ask for the like. */
@Injectable()
export class RemovedDocuments {
  constructor(
    private readonly status: StatusService,
    private readonly control: ControlService,
    private readonly storage: Storage,
  ) {}

  /**
   * The job that a submit was answered with; when it had succeeded and its file is gone, it runs again.
   * @throws {QueueUnavailableError}
   */
  async restored(found: EnqueuedJob): Promise<EnqueuedJob> {
    if (!found.deduplicated || found.repeated || found.status !== 'succeeded') return found;
    const job = await this.status.get(found.jobId);
    if (job?.status !== 'succeeded' || !(await this.isGone(jobFile(job).name))) return found;
    try {
      const { status } = await this.control.replay(found.jobId);
      return { ...found, status };
    } catch (error) {
      // Somebody else asked for the like at the same time.
      if (error instanceof IllegalTransitionError) return { ...found, status: error.status };
      throw error;
    }
  }

  /** While the storage cannot tell, it counts as there: whoever asks for the file is told. */
  private async isGone(name: StorageName): Promise<boolean> {
    try {
      return (await this.storage.stat(name)) === undefined;
    } catch (error) {
      if (error instanceof PassingStorageError) return false;
      throw error;
    }
  }
}
