/** Tells the process that started jest of each test that fails, at once, and, if none did, of the good end. */
export default class FirstFailureReporter {
  /**
   * @param {unknown} _test
   * @param {{status: string, fullName: string, failureMessages: readonly string[]}} result
   */
  onTestCaseResult(_test, { status, fullName, failureMessages }) {
    if (status === 'failed') this.#tell({ kind: 'failed', test: fullName, message: failureMessages.join('\n') });
  }

  /**
   * A file that could not be loaded has no test to fail.
   * @param {{path: string}} test
   * @param {{testExecError?: unknown, failureMessage?: string | null}} result
   */
  onTestResult({ path }, { testExecError, failureMessage }) {
    if (testExecError) this.#tell({ kind: 'failed', test: path, message: failureMessage ?? '' });
  }

  /**
   * @param {unknown} _contexts
   * @param {{numPassedTests: number}} results
   */
  onRunComplete(_contexts, { numPassedTests }) {
    if (numPassedTests > 0) this.#tell({ kind: 'passed' });
  }

  /** @param {import('../../scripts/run/first-failure.mjs').Outcome} outcome */
  #tell(outcome) {
    process.send?.(outcome);
  }
}
