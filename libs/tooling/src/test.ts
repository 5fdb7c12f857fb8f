import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { root, runJest, runProgram, runStaticChecks } from './commands.ts'

// `make test`: everything a contributor or CI needs to see green, servers included. The last line says how many passed.
//   node libs/tooling/src/test.ts                     all of it
//   node libs/tooling/src/test.ts --kind integration  one kind
//   node libs/tooling/src/test.ts path/to/x.test.ts   one file

type Kind = 'unit' | 'integration' | 'e2e'
interface Counts {
  passed: number
  failed: number
  skipped: number
  /** A line for each thing that failed. */
  failures: string[]
}

const { values, positionals } = parseArgs({
  options: { kind: { type: 'string' } },
  allowPositionals: true,
})
const whole = values.kind === undefined && positionals.length === 0
const kinds = (values.kind === undefined ? ['unit', 'integration', 'e2e'] : [values.kind]) as Kind[]
const counts: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] }

if (whole) {
  const failed = await runStaticChecks()
  add({
    passed: 0,
    failed: failed.length,
    skipped: 0,
    failures: failed.map((name) => `failed: ${name}`),
  })
}
const unitOnly = positionals.length > 0 && positionals.every((path) => path.includes('/src/'))
const needsServers = !unitOnly && kinds.some((kind) => kind !== 'unit')
const servers = needsServers ? await startServers() : undefined
try {
  for (const kind of kinds) add(await runKind(kind))
} finally {
  if (servers?.started) await runProgram('node', ['deploy/local/src/servers.ts', 'stop'])
}
process.stdout.write(counts.failures.map((line) => `${line}\n`).join(''))
process.stdout.write(
  `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
)
process.exitCode = counts.failed > 0 ? 1 : 0

/** A run of one kind. End-to-end tests each start a whole system: one after the other. */
async function runKind(kind: Kind): Promise<Counts> {
  const file = join(root, `.local/plain-line.${process.pid}.${kind}`)
  mkdirSync(join(root, '.local'), { recursive: true })
  const filters =
    positionals.length > 0 ? ['--passWithNoTests', '--testPathPatterns', ...positionals] : []
  const code = await runJest(
    [
      '--selectProjects',
      kind,
      `--maxWorkers=${kind === 'e2e' ? 1 : 2}`,
      // What a failed end-to-end test leaves running must not keep the run from its end.
      ...(kind === 'e2e' ? ['--forceExit'] : []),
      ...filters,
    ],
    {
      PLAIN_LINE_FILE: file,
      ...servers?.env,
    },
  )
  const found = readCounts(file)
  // A run that ended badly without a failed test (a crash, an open handle that was forced) is a failure all the same.
  return code !== 0 && found.failed === 0
    ? { ...found, failed: 1, failures: [`failed: the run of ${kind} tests ended with ${code}`] }
    : found
}

function readCounts(file: string): Counts {
  try {
    const [line = '', ...failures] = readFileSync(file, 'utf8').trim().split('\n')
    const [passed = 0, failed = 0, skipped = 0] = line.match(/\d+/g)?.map(Number) ?? []
    return { passed, failed, skipped, failures }
  } catch {
    return { passed: 0, failed: 0, skipped: 0, failures: [] }
  } finally {
    rmSync(file, { force: true })
  }
}

function add(found: Counts): void {
  counts.passed += found.passed
  counts.failed += found.failed
  counts.skipped += found.skipped
  counts.failures.push(...found.failures)
}

/** The servers of `make servers`: those that run already are used and left running. */
async function startServers(): Promise<{ env: NodeJS.ProcessEnv; started: boolean }> {
  const read = () => (existsSync(envFile) ? readFileSync(envFile, 'utf8') : '')
  const envFile = join(root, '.local/servers.env')
  const before = read()
  if ((await runProgram('node', ['deploy/local/src/servers.ts', 'start'])) !== 0)
    throw new Error('the servers for the tests did not start')
  const after = read()
  return { env: parseEnv(after), started: before !== after }
}
