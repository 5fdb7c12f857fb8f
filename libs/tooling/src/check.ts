import { join } from 'node:path'
import { auditDependencies, writeBillOfMaterials } from './dependencies.ts'
import { root, runJest, runStaticChecks } from './commands.ts'

// `make check`: runs the static checks, the checks of dependencies and the tests of the workspace
// rules. No servers are needed.
const failed = await runStaticChecks()
if (!(await auditDependencies())) failed.push('audit of dependencies')
// The generator of the documentation site and the administration pages have their own lockfiles.
for (const folder of ['libs/docs/site', 'services/admin-ui/web'])
  if (!(await auditDependencies({ cwd: join(root, folder) }))) failed.push(`audit of ${folder}`)
if (!(await writeBillOfMaterials())) failed.push('bill of materials')
const rules = [
  'libs/tooling',
  'libs/contracts',
  'libs/client/src/generator',
  'libs/docs/src',
  'libs/db/src/migration-rules',
  'deploy/manifests',
  'deploy/permissions',
]
const code = await runJest(['--selectProjects', 'unit', '--testPathPatterns', ...rules])
if (code !== 0) failed.push('rules of the workspace')
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`)
  process.exitCode = 1
}
