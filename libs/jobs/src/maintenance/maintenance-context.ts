import type { WorkerOptions } from '../runtime/worker-options.js';
import type { EnqueueBatcher } from '../services/enqueue-batcher.js';
import type { Rouser } from '../services/rouser.js';
import type { WorkerIdentity } from '../store/exchange.js';
import type { Link } from '../store/link.js';
import type { JobJournal } from '../telemetry/job-journal.js';

/** What all maintenance of a worker shares. */
export interface MaintenanceContext {
  readonly link: Link;
  readonly worker: WorkerIdentity;
  readonly options: WorkerOptions;
  readonly journal: JobJournal;
  readonly rouser: Rouser;
  readonly batcher: EnqueueBatcher;
}
