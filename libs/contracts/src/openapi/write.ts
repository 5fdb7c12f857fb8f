import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildOpenApi } from './build.ts'

// Writes libs/contracts/openapi.json. It is committed, so that reviews show changes of the API.
const root = join(import.meta.dirname, '../..')
const file = join(root, 'openapi.json')
const settings = join(root, '../tooling/oxfmtrc.json')
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  version: string
}
await writeFile(file, JSON.stringify(buildOpenApi(version)))
execFileSync('oxfmt', ['-c', settings, '--write', file])
