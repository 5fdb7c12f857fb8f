import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readDescription } from './read-description.ts'
import { generateBareTypes, generateClient } from './generated-files.ts'

// `make client`: writes the generated sources of the client from the contracts. With the argument
// `baseline`, also records the types with which later contracts must be compatible.
const source = join(import.meta.dirname, '..')
const description = readDescription()
const files = generateClient(description)
if (process.argv[2] === 'baseline')
  files.push(['compatibility/generated/baseline.ts', generateBareTypes(description)])
for (const [path, text] of files) {
  const file = join(source, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
