/**
 * Runs what can be stopped from outside, by the signal, and from inside. What the signal stops is told by its reason. It leaves no listener
 * behind: a signal may outlive many works.
 */
export async function stoppable<T>(signal: AbortSignal | undefined, work: (stop: AbortController) => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const abort = (): void => {
    stop.abort(signal?.reason);
  };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(stop);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
