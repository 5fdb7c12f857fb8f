import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { root, runJest, runProgram, runStaticChecks } from './commands.ts'

// `make test`: static checks and all tests, with their servers. The last line counts the results.
//   node libs/tooling/src/test.ts                     everything
//   node libs/tooling/src/test.ts --kind integration  one kind
//   node libs/tooling/src/test.ts path/to/x.test.ts   one file

/** Kind of tests, which is a Jest project. `alone` is the part of `e2e` that runs by itself. */
type Kind = 'unit' | 'integration' | 'e2e' | 'alone'

/** Result of one Jest run, as written by `run-reporter.js`. */
interface RunReport {
  passed: number
  failed: number
  skipped: number
  /** Failed tests of the Jest run, one line per failure. */
  failures: string[]
  durations: { file: string; seconds: number }[]
}

/** Time from the report of a Jest run to its exit. The global teardown stops shared systems. */
const maxExitMs = 60_000
/**
 * Number of Jest workers by kind of test. Unit tests use the CPU all the time, so more workers than
 * the two cores would not help. Other tests mostly wait for servers, but more workers would slow
 * down the services under test.
 */
const maxWorkers: Record<Kind, number> = { unit: 2, integration: 3, e2e: 3, alone: 1 }
/** Number of slowest test files that are listed at the end of a test run. */
const slowestListed = 10
const noTests: RunReport = { passed: 0, failed: 0, skipped: 0, failures: [], durations: [] }

const { values, positionals } = parseArgs({
  options: { kind: { type: 'string' } },
  allowPositionals: true,
})
const isWholeRun = values.kind === undefined && positionals.length === 0
const selected = values.kind === undefined ? ['unit', 'integration', 'e2e'] : [values.kind]
const kinds = selected.flatMap((kind) => (kind === 'e2e' ? [kind, 'alone'] : kind)) as Kind[]
const reports: RunReport[] = []
const phases: string[] = []

const unitOnly = positionals.length > 0 && positionals.every((path) => path.includes('/src/'))
const needsServers = !unitOnly && kinds.some((kind) => kind !== 'unit')
const needsSite =
  kinds.includes('e2e') &&
  (positionals.length === 0 ||
    positionals.some((path) => /docs-site|bundle|stories\/?$/.test(path)))
const needsPages =
  kinds.includes('e2e') &&
  (positionals.length === 0 || positionals.some((path) => path.includes('test-e2e/admin')))
// The servers of the tests mostly wait while they start, so the static checks run meanwhile. The
// end-to-end tests start from a bundle, which contains the documentation site and the
// administration pages.
const [servers] = await Promise.all([
  needsServers ? timed('start of servers', startServers) : undefined,
  isWholeRun ? timed('static checks', reportStaticChecks) : undefined,
  needsSite ? timed('documentation site', () => reportBuild('docs')) : undefined,
  needsPages ? timed('administration pages', () => reportBuild('admin-ui')) : undefined,
])
try {
  for (const kind of kinds) reports.push(await timed(`${kind} tests`, () => runKind(kind)))
} finally {
  if (servers?.started) await runProgram('node', ['deploy/local/src/servers.ts', 'stop'])
}
printSummary()

/**
 * Prints the slowest test files, the phases, the failures and, as the last line, the counts of a
 * test run.
 */
function printSummary(): void {
  const slowest = reports
    .flatMap(({ durations }) => durations)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, slowestListed)
    .map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`)
  const count = (name: 'passed' | 'failed' | 'skipped') =>
    reports.reduce((sum, report) => sum + report[name], 0)
  const lines = [
    ...(slowest.length > 1 ? ['Slowest files:', ...slowest] : []),
    `Phases: ${phases.join(', ')}`,
    ...reports.flatMap(({ failures }) => failures),
    `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`,
  ]
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  process.exitCode = count('failed') > 0 ? 1 : 0
}

/** Adds the failed static checks to the reports of the test runs. */
async function reportStaticChecks(): Promise<void> {
  const failed = await runStaticChecks()
  reports.push({
    ...noTests,
    failed: failed.length,
    failures: failed.map((name) => `failed: ${name}`),
  })
}

/** Runs a build target of the Makefile. Adds a failed build to the reports of the test runs. */
async function reportBuild(target: string): Promise<void> {
  if ((await runProgram('make', [target])) === 0) return
  reports.push({ ...noTests, failed: 1, failures: [`failed: make ${target}`] })
}

/** Runs one kind of tests. A Jest run that does not exit after its last test fails. */
async function runKind(kind: Kind): Promise<RunReport> {
  const file = join(root, `.local/run-report.${process.pid}.${kind}`)
  mkdirSync(join(root, '.local'), { recursive: true })
  const filters =
    positionals.length > 0 ? ['--passWithNoTests', '--testPathPatterns', ...positionals] : []
  const hanging = new AbortController()
  const timer = setInterval(() => {
    const ageMs = existsSync(file) ? Date.now() - statSync(file).mtimeMs : 0
    if (ageMs > maxExitMs) hanging.abort()
  }, 1_000)
  const code = await runJest(
    ['--selectProjects', kind, `--maxWorkers=${maxWorkers[kind]}`, ...filters],
    { RUN_REPORT_FILE: file, ...servers?.env },
    hanging.signal,
  )
  clearInterval(timer)
  const report = readReport(file)
  if (hanging.signal.aborted) {
    const text = `failed: the ${kind} tests left open handles, the run was killed ${maxExitMs / 1000} s after its last test`
    return { ...report, failed: report.failed + 1, failures: [...report.failures, text] }
  }
  // A Jest run that ended with an error but without a failed test (a crash, a leak) is a failure,
  // too.
  return code !== 0 && report.failed === 0
    ? { ...report, failed: 1, failures: [`failed: the run of ${kind} tests ended with ${code}`] }
    : report
}

function readReport(file: string): RunReport {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunReport
  } catch {
    // Jest ended before its reporter wrote a report; its exit code makes the run fail.
    return noTests
  } finally {
    rmSync(file, { force: true })
  }
}

async function timed<T>(phase: string, run: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await run()
  phases.push(`${phase} ${Math.round((performance.now() - start) / 1000)} s`)
  return result
}

/**
 * Starts the servers of `make servers`. Servers that are running already are used and left running.
 */
async function startServers(): Promise<{ env: NodeJS.ProcessEnv; started: boolean }> {
  const envFile = join(root, '.local/servers.env')
  const read = () => (existsSync(envFile) ? readFileSync(envFile, 'utf8') : '')
  const before = read()
  if ((await runProgram('node', ['deploy/local/src/servers.ts', 'start'])) !== 0)
    throw new Error('the servers for the tests did not start')
  const after = read()
  return { env: parseEnv(after), started: before !== after }
}
