import { BuiltProcess } from './built-process.js';

type Env = Readonly<Record<string, string>>;

/** Processes of one built app for the tests of a file. */
export interface BuiltApps {
  /** A new one with these variables besides the shared ones; it is ended after the test. */
  start(env?: Env): Promise<BuiltProcess>;
  /** One that an earlier test left and that was started with these variables; else a new one. */
  running(env?: Env): Promise<BuiltProcess>;
  /** Lets a later test go on with it. A test that fails before leaves nothing. */
  leave(...processes: readonly BuiltProcess[]): void;
}

/**
 * To start a process takes seconds of processor time: a test that has not used up what it started leaves it to those after it.
 * @param shared what all of them are started with
 */
export function builtApps(app: 'api' | 'worker', shared: Env): BuiltApps {
  const envOf = new Map<BuiltProcess, string>();
  const inHand = new Set<BuiltProcess>();
  const left = new Set<BuiltProcess>();

  const end = async (processes: Set<BuiltProcess>): Promise<void> => {
    const ended = [...processes];
    processes.clear();
    await Promise.all(ended.map((process) => process.dispose()));
  };
  afterEach(() => end(inHand));
  afterAll(() => end(left));

  const start = async (env: Env = {}): Promise<BuiltProcess> => {
    const process = await BuiltProcess.start(app, { ...shared, ...env });
    envOf.set(process, JSON.stringify(env));
    inHand.add(process);
    return process;
  };
  return {
    start,
    running: async (env = {}) => {
      const found = [...left].find((process) => envOf.get(process) === JSON.stringify(env));
      if (found === undefined) return start(env);
      left.delete(found);
      inHand.add(found);
      return found;
    },
    leave: (...processes) => {
      for (const process of processes) {
        inHand.delete(process);
        left.add(process);
      }
    },
  };
}
