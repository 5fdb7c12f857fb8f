import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './commands.ts'
import { checkDocument, checkSource } from './wording.ts'

// node libs/tooling/src/wording-main.ts [folder…]: lists what breaks the wording rules, one line
// each.
const folders = process.argv.slice(2)
const patterns =
  folders.length > 0 ? folders.map((folder) => `${folder}/**/*.{ts,md}`) : ['**/*.{ts,md}']
const violations = globSync(patterns, {
  cwd: root,
  exclude: (name) => /node_modules|\.local/.test(name),
})
  .filter((path) => !path.includes('node_modules') && !path.includes('replaced-names.ts'))
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return path.endsWith('.md') ? checkDocument(path, text) : checkSource(path, text)
  })
for (const { path, line, rule, text } of violations)
  process.stdout.write(`${path}:${line} [${rule}] ${text}\n`)
process.stdout.write(`${violations.length} violations\n`)
process.exitCode = violations.length > 0 ? 1 : 0
