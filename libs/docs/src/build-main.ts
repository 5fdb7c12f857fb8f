import { resolve } from 'node:path'
import { buildSite } from './site/build.ts'

// `make docs`: builds the documentation site into the folder that the first argument names.
const folder = resolve(process.argv[2] ?? '.local/docs')
const start = performance.now()
await buildSite(folder, { env: process.env })
const seconds = ((performance.now() - start) / 1000).toFixed(1)
process.stdout.write(`built the documentation into ${folder} in ${seconds} s\n`)
