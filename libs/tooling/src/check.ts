import { runJest, runStaticChecks } from './commands.ts'

// `make check`: no server needed; the thing to run before a commit.
const failed = await runStaticChecks()
if (
  (await runJest([
    '--selectProjects',
    'unit',
    '--testPathPatterns',
    'libs/tooling',
    'libs/contracts',
  ])) !== 0
)
  failed.push('rules of the workspace')
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`)
  process.exitCode = 1
}
