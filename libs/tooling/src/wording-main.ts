import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './commands.ts'
import { checkFile, wordingFiles } from './wording.ts'

// node libs/tooling/src/wording-main.ts [folder…]: lists violations of the wording rules, one per
// line.
const folders = process.argv.slice(2)
const violations = wordingFiles(root)
  .filter((path) => folders.length === 0 || folders.some((folder) => path.startsWith(folder)))
  .filter((path) => !path.includes('replaced-names.ts'))
  .flatMap((path) => checkFile(path, readFileSync(join(root, path), 'utf8')))
for (const { path, line, rule, text } of violations)
  process.stdout.write(`${path}:${line} [${rule}] ${text}\n`)
process.stdout.write(`${violations.length} violations\n`)
process.exitCode = violations.length > 0 ? 1 : 0
