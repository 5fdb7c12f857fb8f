import { resolve } from 'node:path'
import { buildPackage } from './build-package.ts'

// `make client-package`: builds the npm package of the API client into the folder that the first
// argument names.
const file = buildPackage(resolve(process.argv[2] ?? '.local/client'))
process.stdout.write(`packed into ${file}\n`)
