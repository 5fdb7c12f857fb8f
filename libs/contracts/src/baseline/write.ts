import { writeFile } from 'node:fs/promises'
import { baselineFile, buildBaseline, formatBaseline } from './contract-baseline.ts'

// Records the contracts as they are now: node libs/contracts/src/baseline/write.ts
await writeFile(baselineFile, formatBaseline(buildBaseline()))
