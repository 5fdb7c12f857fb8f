import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runProgram } from '../commands.ts'
import { addVersion } from './changelog.ts'
import { checkBeforeRelease } from './check.ts'
import { changelogFile, Repository } from './repository.ts'

// `make release VERSION=1.0.0-rc.1`: checks the Git clone, then writes the version and the
// changelog section of the release. If a check fails, nothing is changed.
const [version = ''] = process.argv.slice(2)
const repository = new Repository(root)
const faults = await checkBeforeRelease(repository, version)
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
else {
  const date = new Date().toISOString().slice(0, 10)
  const changelog = addVersion(repository.read(changelogFile), version, date)
  for (const [file, text] of [...repository.withVersion(version), [changelogFile, changelog]])
    writeFileSync(join(root, String(file)), String(text))
  process.exitCode = await runProgram('node', ['libs/contracts/src/openapi/write.ts'])
  process.stdout.write(
    `version ${version} is written. Next:\n` +
      `  make ci\n` +
      `  git commit --all --message 'release: ${version}'\n` +
      `  git tag --sign v${version} --message 'Posthorn ${version}'\n` +
      `  make release-check VERSION=${version}\n` +
      `  git push --follow-tags\n`,
  )
}
