import TestSequencer from '@jest/test-sequencer';

/** Kinds of test by how long their suites take; those named by file are the longest of their kind. */
const SLOWEST = [/\/e2e\/chaos\./, /\/model\//, /\/e2e\//, /\/integration\//];

/**
 * Runs the suites that take minutes before those that take seconds: one left for the end would run alone.
 * The order of Jest itself, kept within a kind, goes by the size of a file where it has seen no run yet.
 */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one.path) - rankOf(other.path));
  }
}

/** @param {string} path */
function rankOf(path) {
  const rank = SLOWEST.findIndex((kind) => kind.test(path));
  return rank === -1 ? SLOWEST.length : rank;
}
