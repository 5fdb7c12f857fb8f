import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../commands.ts'
import { sectionOf } from './changelog.ts'
import { provenance } from './provenance.ts'
import { changelogFile, Repository } from './repository.ts'
import { isPrerelease } from './version.ts'

// Writes the files of a release into .local/release: its changelog section, the predicate of its
// provenance, and `options` for `gh release create`. Used by the release workflow.
const [version = ''] = process.argv.slice(2)
const notes = sectionOf(new Repository(root).read(changelogFile), version)
if (!notes) throw new Error(`the changelog has no section ${version}`)
const folder = join(root, '.local/release')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'notes.md'), `${notes}\n`)
writeFileSync(join(folder, 'provenance.json'), JSON.stringify(provenance(process.env)))
writeFileSync(join(folder, 'options'), isPrerelease(version) ? '--prerelease' : '--latest')
