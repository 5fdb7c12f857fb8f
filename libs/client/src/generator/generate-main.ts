import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readApiDocument } from '@posthorn/contracts/openapi/document'
import { generateBaseline } from './baseline-files.ts'
import { generateClient } from './generated-files.ts'

// `make client`: writes the generated sources of the client from the contracts. With the argument
// `baseline`, also records the types with which later contracts must be compatible.
const description = readApiDocument('0.0.0')
const isBaseline = process.argv[2] === 'baseline'
const files = [...generateClient(description), ...(isBaseline ? generateBaseline(description) : [])]
for (const [path, text] of files) {
  const file = join(import.meta.dirname, '..', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
