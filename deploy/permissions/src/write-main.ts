import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatedFiles } from './generated-files.ts'

// `make manifests`: writes the Kubernetes manifests that are generated from code.
const root = join(import.meta.dirname, '../../..')
for (const [path, text] of generatedFiles()) await writeFile(join(root, path), text)
