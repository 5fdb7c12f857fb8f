/** Ends a run with the one line that any CI can read. */
export default class PlainLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    process.stdout.write(
      `${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests} skipped\n`,
    )
  }
}
