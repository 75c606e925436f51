// Usage: node scripts/ci-summary.mjs RESULTS TEST_EXIT CHECK_EXIT
// Prints the closing line and exits 1 when anything failed. RESULTS is what jest wrote with --json; empty when it never got there.
import { readFileSync } from 'node:fs';

const [file = '', testExit, checkExit] = process.argv.slice(2);
const testsFailed = testExit !== '0';
const checkFailed = checkExit !== '0';
if (checkFailed) console.log('npm run check failed; see above.');

const results = readResults();
// A file that does not even load, or an exit for another reason, is a failure too although no test failed in it.
const broken = results.numFailedTests + results.numRuntimeErrorTestSuites;
const failed = Math.max(broken, testsFailed || results.numPassedTests === 0 ? 1 : 0) + (checkFailed ? 1 : 0);
const skipped = results.numPendingTests + results.numTodoTests;
console.log(`${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

function readResults() {
  const none = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0, numTodoTests: 0 };
  try {
    return { ...none, ...JSON.parse(readFileSync(file, 'utf8')) };
  } catch {
    return none;
  }
}
