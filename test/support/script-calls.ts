import { createHash } from 'node:crypto';
import { Script } from '../../libs/jobs/src/store/script.js';
import type { Answered } from './reply-dropper.js';

/** An exchange of which nothing was claimed ends with an empty text. */
const NOTHING_CLAIMED = Buffer.from('$0\r\n\r\n');

/** Tells the calls of a worker or a submitter apart, as a proxy sees them. */
export const CALLS = {
  enqueue: callOf('enqueue'),
  claim: callOf('exchange', ({ reply }) => !reply.subarray(-NOTHING_CLAIMED.length).equals(NOTHING_CLAIMED)),
  settle: callOf('exchange', ({ args }) => (args.at(-1)?.length ?? 0) > 0),
  heartbeat: callOf('heartbeat'),
  note: callOf('note'),
  reconcile: callOf('reconcile'),
} as const;

/** True of a call of the script that Redis has carried out. */
function callOf(script: string, also: (answered: Answered) => boolean = () => true): (answered: Answered) => boolean {
  const { sha } = new Script(script);
  return (answered) => shaOf(answered.args) === sha && !answered.reply.toString('latin1', 0, 1).startsWith('-') && also(answered);
}

function shaOf([name = Buffer.alloc(0), script = Buffer.alloc(0)]: readonly Buffer[]): string | undefined {
  const command = name.toString().toLowerCase();
  if (command === 'evalsha') return script.toString();
  return command === 'eval' ? createHash('sha1').update(script).digest('hex') : undefined;
}
