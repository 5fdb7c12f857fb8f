import { parentPort, workerData } from 'node:worker_threads'
import { Engine } from './engine.ts'
import type { Job, JobResult, ThreadData } from './jobs.ts'

/** Time slice of a message. Its results are then returned: a slow function delays few others. */
const sliceMs = 10

const { limits, progress } = workerData as ThreadData
const engine = await Engine.create(limits)

async function runJobs(jobs: readonly Job[]): Promise<JobResult[]> {
  const results: JobResult[] = []
  const start = cpuMicros()
  let now = start
  for (const [index, job] of jobs.entries()) {
    progress[0] = now
    progress[1] = index
    results.push(await engine.run(job))
    now = cpuMicros()
    if (now - start > sliceMs * 1_000) break
  }
  return results
}

function cpuMicros(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

parentPort?.on('message', (jobs: Job[]) => {
  void runJobs(jobs).then((results) => parentPort?.postMessage(results))
})
parentPort?.postMessage('ready')
