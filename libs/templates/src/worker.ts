import { parentPort, workerData } from 'node:worker_threads'
import { Engine } from './engine.ts'
import type { Job } from './jobs.ts'

// With it goes the easiest way of one template to reach into the rendering of others: a member of that name is a member like any.
Reflect.deleteProperty(Object.prototype, '__proto__')

const { startedAt } = workerData as { startedAt: Float64Array }
const engine = new Engine()

parentPort?.on('message', (job: Job) => {
  const { user, system } = process.threadCpuUsage()
  startedAt[0] = user + system
  parentPort?.postMessage(engine.run(job))
})
parentPort?.postMessage('ready')
