import { Stopped } from '../setup/fault.mjs';

/** npm passes the Ctrl-C that its child got from the terminal on to it once more: what comes this close is the same one. */
const SAME_REQUEST_MS = 400;

/**
 * Turns signals into requests: the first asks to stop in good order, a later one to stop at once.
 * @returns {{asked: AbortSignal, forced: AbortSignal}}
 */
export function listenForStop() {
  const asked = new AbortController();
  const forced = new AbortController();
  let askedAt = 0;
  const listen = () => {
    if (!asked.signal.aborted) {
      askedAt = performance.now();
      asked.abort(new Stopped());
    } else if (performance.now() - askedAt > SAME_REQUEST_MS) {
      forced.abort(new Stopped());
    }
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, listen);
  // Nobody reads any more: the terminal was closed, or the reader of a pipe has gone.
  process.stdout.on('error', listen);
  process.stderr.on('error', () => undefined);
  return { asked: asked.signal, forced: forced.signal };
}
