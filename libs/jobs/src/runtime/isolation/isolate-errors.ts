import { fileURLToPath } from 'node:url';
import { describeThrown } from '../../definition/thrown.js';

/** The thread ended under its job: an uncaught error, `process.exit`, or no memory left. The job is retried by policy. */
export class ThreadDiedError extends Error {
  override readonly name = 'ThreadDiedError';
  readonly code = 'thread_died';

  /** @param cause the error that nothing caught; undefined when the thread ended with an exit code alone. */
  constructor(exitCode: number, cause: unknown) {
    super(`The thread ended under the job: ${reasonOf(exitCode, cause)}.`, cause === undefined ? undefined : { cause });
  }
}

/** No thread for the type can be started as its module is. The job is retried by policy. */
export class ThreadBootError extends Error {
  override readonly name = 'ThreadBootError';
  readonly code = 'thread_boot_failed';

  constructor(type: string, file: URL, cause: unknown) {
    super(`The thread for "${type}" cannot start from ${fileURLToPath(file)}: ${describeThrown(cause).message}`, { cause });
  }
}

function reasonOf(exitCode: number, cause: unknown): string {
  if (cause === undefined) return `something in it called process.exit(${exitCode})`;
  const { code, name, message } = describeThrown(cause);
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it had no memory left' : `nothing caught ${name}: ${message}`;
}
