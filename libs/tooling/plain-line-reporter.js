import { writeFileSync } from 'node:fs'

/** Keeps the counts of a run for whoever started it: one line that any CI can read, in the file PLAIN_LINE_FILE or on stdout. */
export default class PlainLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const line = `${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests} skipped\n`
    const file = process.env.PLAIN_LINE_FILE
    if (file) writeFileSync(file, line)
    else process.stdout.write(line)
  }
}
