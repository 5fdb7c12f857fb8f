import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './commands.ts'

// `make migration NAME=add-labels`: creates the file of a database migration with the next number.
const name = process.argv[2] ?? ''
if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
  process.stderr.write('usage: make migration NAME=add-labels\n')
  process.exit(1)
}
const folder = join(root, 'libs/db/src/migrations')
const last = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .at(-1)
const number = String(Number(last?.slice(0, 4) ?? 0) + 1).padStart(4, '0')
const file = join(folder, `${number}-${name}.sql`)
writeFileSync(
  file,
  '-- The previous release runs on this schema, beside open readers: rules in libs/db/README.md.\n',
  { flag: 'wx' },
)
process.stdout.write(`${file}\n`)
