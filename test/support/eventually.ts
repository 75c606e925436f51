import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 25;

/**
 * What `look` returns as soon as it no longer throws; its last error when `withinMs` is over. For processes of their own:
 * within a process, wait for the event itself.
 */
export async function eventually<T>(look: () => T | Promise<T>, withinMs = 20_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await pause(EVERY_MS);
  }
}
