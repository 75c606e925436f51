import { parseJobId } from '../definition/job-id.js';
import { MAX_JOBS_PER_CALL } from '../store/bounds.js';

/** Jobs of one type, as many as one call takes. */
export interface Owners {
  readonly type: string;
  readonly ulids: readonly string[];
}

/** Puts jobs that follow each other together by their types. What is no id of a job is left out. */
export async function* byType(jobIds: AsyncIterable<string>): AsyncGenerator<Owners, void, undefined> {
  let type = '';
  let ulids = new Set<string>();
  for await (const jobId of jobIds) {
    const id = parseJobId(jobId);
    if (id === undefined) continue;
    if (ulids.size === MAX_JOBS_PER_CALL || (ulids.size > 0 && id.type !== type)) {
      yield { type, ulids: [...ulids] };
      ulids = new Set();
    }
    type = id.type;
    ulids.add(id.ulid);
  }
  if (ulids.size > 0) yield { type, ulids: [...ulids] };
}
