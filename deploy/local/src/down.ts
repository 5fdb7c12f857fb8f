import { rm } from 'node:fs/promises'
import { acquireCommandLock } from './process/command-lock.ts'
import { upFiles } from './paths.ts'
import { stopRecorded } from './process/run-record.ts'

// `make down`: stops the processes that `make up` started and keeps their data. A recorded process
// id is ignored if the id belongs to a different process by now.
await using _lock = await acquireCommandLock(upFiles.lock, '`make up` or `make down`')
const stopped = await stopRecorded(upFiles.record)
await rm(upFiles.env, { force: true })
process.stdout.write(stopped === 0 ? 'nothing was running\n' : `stopped ${stopped} processes\n`)
