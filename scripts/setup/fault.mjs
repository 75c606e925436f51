import { complain } from './terminal.mjs';

/** Something is wrong that the person at the terminal can mend; the message says what and how. */
export class Fault extends Error {
  told = false;
}

/** The person asked to stop while something was still being set up. */
export class Stopped extends Error {}

/**
 * Shows a fault, once; throws on what nobody expected.
 * @param {unknown} error
 */
export function tell(error) {
  if (error instanceof Stopped) return;
  if (!(error instanceof Fault)) throw error;
  if (!error.told) complain(error.message);
  error.told = true;
}
