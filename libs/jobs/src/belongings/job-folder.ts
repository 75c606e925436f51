import { formatJobId, parseJobId } from '../definition/job-id.js';

/** What the folders of all jobs lie in. */
export const JOB_FOLDERS = 'jobs';

/** The folder for the files of a job, which is swept with it: `jobs/email.send/01k4…`, all in lower case. */
export function jobFolder(jobId: string): string {
  const id = parseJobId(jobId);
  if (id === undefined) throw new TypeError(`${jobId} is no id of a job.`);
  return `${JOB_FOLDERS}/${id.type}/${id.ulid.toLowerCase()}`;
}

/** The id of the job in whose folder a file lies; undefined when it lies in none. */
export function jobOfFile(name: string): string | undefined {
  const [root, type = '', ulid = '', file] = name.split('/');
  if (root !== JOB_FOLDERS || file === undefined || ulid !== ulid.toLowerCase()) return undefined;
  const jobId = formatJobId({ type, ulid: ulid.toUpperCase() });
  return parseJobId(jobId) && jobId;
}
