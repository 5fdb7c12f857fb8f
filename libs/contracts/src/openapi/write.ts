import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { release } from '@posthorn/config/release'
import { buildOpenApi } from './build.ts'

// Writes the OpenAPI document libs/contracts/openapi.json. The file is committed, so that changes
// of the API are visible in reviews.
const root = join(import.meta.dirname, '../..')
const file = join(root, 'openapi.json')
const settings = join(root, '../tooling/oxfmtrc.json')
await writeFile(file, JSON.stringify(buildOpenApi(release.version)))
execFileSync('oxfmt', ['-c', settings, '--write', file])
