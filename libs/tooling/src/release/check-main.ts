import { root } from '../commands.ts'
import { checkReleased } from './check.ts'
import { Repository } from './repository.ts'

// `make release-check VERSION=1.0.0-rc.1`: checks the commit that is tagged as a release.
const [version = ''] = process.argv.slice(2)
const faults = await checkReleased(new Repository(root), version)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
