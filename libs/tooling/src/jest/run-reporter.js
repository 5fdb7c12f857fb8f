import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

/**
 * Jest reporter of the counts of a run as one line, `N passed, N failed, N skipped`, followed by one line per failed test.
 * `libs/tooling/src/test.ts` passes RUN_REPORT_FILE and gets the counts and the duration of each file as JSON instead.
 */
export default class RunReporter {
  onRunComplete(_contexts, results) {
    const report = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests,
      failures: results.testResults.flatMap(failuresOf),
      durations: results.testResults.map(({ testFilePath, perfStats }) => ({
        file: relative(process.cwd(), testFilePath),
        seconds: (perfStats.end - perfStats.start) / 1000,
      })),
    }
    const file = process.env.RUN_REPORT_FILE
    if (file) writeFileSync(file, JSON.stringify(report))
    else process.stdout.write(describeRun(report))
  }
}

/** Returns one line per failed test of a file, or one line if the file itself could not run. */
function failuresOf({ testFilePath, testExecError, testResults }) {
  const path = relative(process.cwd(), testFilePath)
  if (testExecError) return [`failed: ${path} did not run`]
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => `failed: ${path}: ${fullName}`)
}

function describeRun({ passed, failed, skipped, failures }) {
  return [`${passed} passed, ${failed} failed, ${skipped} skipped`, ...failures, ''].join('\n')
}
