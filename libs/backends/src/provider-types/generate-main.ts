import { writeFileSync } from 'node:fs'
import { generateProviderTypes } from './generated-files.ts'

// `make provider-types`: writes the types of the provider APIs from their descriptions.
for (const [file, text] of generateProviderTypes()) writeFileSync(file, text)
