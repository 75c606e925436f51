import { MessagePort } from 'node:worker_threads';

/** What an isolate is started with. */
export interface IsolateSetup {
  /** To the process; the thread's own port is left to the code of the user's module. */
  readonly port: MessagePort;
  readonly type: string;
  /** The URL of the file whose default export is the Nest module of the handler. */
  readonly file: string;
}

/** What the thread was started with; undefined when it was not started as an isolate. */
export function parseSetup(workerData: unknown): IsolateSetup | undefined {
  if (typeof workerData !== 'object' || workerData === null) return undefined;
  const { port, type, file } = workerData as Readonly<Record<string, unknown>>;
  if (!(port instanceof MessagePort) || typeof type !== 'string' || typeof file !== 'string') return undefined;
  return { port, type, file };
}
