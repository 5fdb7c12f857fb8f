import { writeFile } from 'node:fs/promises'
import { baselineFile, buildBaseline, formatBaseline } from './contract-baseline.ts'

// Writes the current API, command and event contracts to the baseline file. Usage: node
// libs/contracts/src/baseline/write.ts
await writeFile(baselineFile, formatBaseline(buildBaseline()))
