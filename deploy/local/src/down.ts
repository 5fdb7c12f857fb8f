import { rm } from 'node:fs/promises'
import { lock } from './lock.ts'
import { stopRun } from './run-record.ts'
import { upFiles } from './up-files.ts'

// Stops what `make up` started, and only that: a process whose number another one has by now is left alone. Data stay.
await using _lock = await lock(upFiles.lock, '`make up` or `make down`')
const stopped = await stopRun(upFiles.record)
await rm(upFiles.env, { force: true })
process.stdout.write(stopped === 0 ? 'nothing was running\n' : `stopped ${stopped} processes\n`)
