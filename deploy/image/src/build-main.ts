import { resolve } from 'node:path'
import { build } from './build.ts'

// `make build`: bundles all processes of the container image into the folder that the first
// argument names. The environment variable REVISION is the Git commit that the processes report.
const folder = resolve(process.argv[2] ?? '.local/dist')
await build(folder, { revision: process.env['REVISION'] ?? 'unknown' })
process.stdout.write(`bundled into ${folder}\n`)
