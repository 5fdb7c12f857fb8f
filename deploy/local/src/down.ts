import { rm } from 'node:fs/promises'
import { acquireCommandLock } from './process/command-lock.ts'
import { upFiles } from './paths.ts'
import { stopRecorded } from './process/run-record.ts'

// Stops what `make up` started, and only that: a process whose number another one has by now is left alone. Data stay.
await using _lock = await acquireCommandLock(upFiles.lock, '`make up` or `make down`')
const stopped = await stopRecorded(upFiles.record)
await rm(upFiles.env, { force: true })
process.stdout.write(stopped === 0 ? 'nothing was running\n' : `stopped ${stopped} processes\n`)
