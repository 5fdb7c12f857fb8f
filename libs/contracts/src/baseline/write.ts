import { writeFile } from 'node:fs/promises'
import { baselineFile, buildBaseline, formatBaseline } from './contract-baseline.ts'

// Records the current API, command and event contracts as the baseline: node
// libs/contracts/src/baseline/write.ts
await writeFile(baselineFile, formatBaseline(buildBaseline()))
