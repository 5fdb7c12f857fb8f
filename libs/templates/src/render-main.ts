import { serveRequests } from '@posthorn/flow'
import { Engine } from './engine.ts'
import type { Job } from './jobs.ts'

await serveRequests((maxOutputBytes: number) => {
  const engine = new Engine(maxOutputBytes)
  return (job: Job) => engine.run(job)
})
