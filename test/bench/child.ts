import { makeJob, makeJobs } from './job.js';
import { nowMs, type Command, type FromChild, type Replies } from './protocol.js';
import type { Side } from './sides/side.js';
import { SIDES, type SideName } from './sides/sides.js';
import { submitJobs } from './submit-jobs.js';
import { WatchedWorker } from './watched-worker.js';

/** A process that submits, works, or both, for one side. Usage: node child.js SIDE REDIS_URL, with a channel to its parent. */

const [name = '', redisUrl = ''] = process.argv.slice(2);
const JOBS = makeJobs(1_000);

// Whoever started this is gone, or wants it to go. A Ctrl-C in the terminal is the parent's to answer.
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);

// The parent knows the names.
const open = await SIDES[name as SideName]();
const side = await open(redisUrl);
let worker: WatchedWorker | undefined;
process.on('message', (command: Command) => void answer(command));
tell({ kind: 'ready' });

async function answer(command: Command): Promise<void> {
  try {
    tell({ kind: 'reply', value: await carryOut(side, command) });
  } catch (error) {
    tell({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

async function carryOut(side: Side, command: Command): Promise<Replies[keyof Replies]> {
  switch (command.do) {
    case 'submit':
      return submitJobs(side, JOBS, command);
    case 'submit_one': {
      const job = makeJob(command.number);
      const atMs = nowMs();
      await side.submit(command.variant, job, 1);
      return { atMs };
    }
    case 'stored':
      return side.stored(command.variant);
    case 'forget_events':
      await side.forgetEvents(command.variant);
      return null;
    case 'open_worker':
      worker = new WatchedWorker(command.report, (report) => {
        tell({ kind: 'report', report });
      });
      await worker.open(side, command.settings);
      return null;
    case 'start_worker':
      worker?.start();
      return null;
    case 'close_worker':
      await worker?.close();
      worker = undefined;
      return null;
  }
}

function tell(message: FromChild): void {
  process.send?.(message);
}
