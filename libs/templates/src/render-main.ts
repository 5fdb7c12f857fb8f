import { Engine } from './engine.ts'
import type { ProcessMessage, Job } from './jobs.ts'

// A process and not a thread: when one allocation is more than its heap has left, V8 ends the whole process it is in.

const engine = new Engine()

/** What it has used up to now, by which the next job is measured. */
function usedMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function send(message: ProcessMessage): void {
  process.send?.(message)
}

process.on('message', (job: Job) => send({ result: engine.run(job), usedMicros: usedMicros() }))
// Whoever it works for has gone.
process.on('disconnect', () => process.exit())
send({ usedMicros: usedMicros() })
