import { parentPort, workerData } from 'node:worker_threads'
import { Engine } from './engine.ts'
import type { Job, JobResult, ThreadData } from './jobs.ts'

/** After this long what is done is told, and the rest given back: a function that is slow holds up few others. */
const turnMs = 10

const { bounds, progress } = workerData as ThreadData
const engine = await Engine.create(bounds)

async function work(jobs: readonly Job[]): Promise<JobResult[]> {
  const results: JobResult[] = []
  const from = usedMicros()
  let now = from
  for (const [index, job] of jobs.entries()) {
    progress[0] = now
    progress[1] = index
    results.push(await engine.run(job))
    now = usedMicros()
    if (now - from > turnMs * 1_000) break
  }
  return results
}

function usedMicros(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

parentPort?.on('message', (jobs: Job[]) => {
  void work(jobs).then((results) => parentPort?.postMessage(results))
})
parentPort?.postMessage('ready')
