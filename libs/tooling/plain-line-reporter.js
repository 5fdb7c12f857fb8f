import { writeFileSync } from 'node:fs'

/**
 * Keeps the counts of a run for whoever started it, in the file PLAIN_LINE_FILE or on stdout: one line that any CI can read, and a line
 * for each test that failed, since what a CI shows is the end of its log.
 */
export default class PlainLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const line = `${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests} skipped\n`
    const names = results.testResults.flatMap(({ testFilePath, testExecError, testResults }) => [
      ...(testExecError ? [`failed: ${testFilePath} did not run\n`] : []),
      ...testResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `failed: ${testFilePath}: ${fullName}\n`),
    ])
    const text = [line, ...names].join('')
    const file = process.env.PLAIN_LINE_FILE
    if (file) writeFileSync(file, text)
    else process.stdout.write(text)
  }
}
