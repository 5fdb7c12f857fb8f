import { Engine } from './engine.ts'
import type { ProcessMessage, Job } from './jobs.ts'

// A process, not a thread: V8 ends the process if one allocation exceeds the rest of the heap.

const engine = new Engine()

/** CPU time so far. The renderer measures the next job from here. */
function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function send(message: ProcessMessage): void {
  process.send?.(message)
}

process.on('message', (job: Job) => send({ result: engine.run(job), cpuMicros: cpuMicros() }))
// The process of the renderer ended.
process.on('disconnect', () => process.exit())
send({ cpuMicros: cpuMicros() })
