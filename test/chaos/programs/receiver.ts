import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from '../ledger/ledger.js';
import { endWithParent, setting, tellParent } from './parent.js';

/**
 * Takes the messages of webhooks and writes down each before it answers. Told `drain`, it waits until it has been told of each job that asked for it and
 * has ended, or until the time for that is over.
 */

const LOOK_MS = 250;

const ledger = new Ledger(setting('CHAOS_LEDGER'));
const told = new Set<string>();

endWithParent();
process.on('message', (message) => {
  if (message === 'drain') void drain();
});
createServer(take).listen(Number(setting('CHAOS_PORT')), '127.0.0.1', () => {
  tellParent('up');
});

/** A message whose sender dies before its end never came. */
function take(request: IncomingMessage, response: ServerResponse): void {
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => (text += part));
  request.on('end', () => {
    void note(String(request.headers['webhook-id']), text).then(() => response.writeHead(204).end());
  });
}

async function note(messageId: string, text: string): Promise<void> {
  // As the contract of webhooks has it.
  const { type: event, data } = JSON.parse(text) as { readonly type: string; readonly data: { readonly job_id: string } };
  await ledger.write('deliveries', { messageId, jobId: data.job_id, event });
  told.add(data.job_id);
}

async function drain(): Promise<void> {
  const deadline = performance.now() + Number(setting('CHAOS_DRAIN_MS'));
  const ended = new Set((await ledger.read('finals')).filter(({ status }) => status !== 'absent').map(({ jobId }) => jobId));
  const due = (await ledger.read('accepted')).filter(({ jobId, webhook }) => webhook && ended.has(jobId));
  while (due.some(({ jobId }) => !told.has(jobId)) && performance.now() < deadline) await pause(LOOK_MS);
  tellParent('drained');
}
