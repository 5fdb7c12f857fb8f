import { serveRequests } from '@posthorn/flow'
import { Engine } from './engine.ts'
import type { CallLimits, Job } from './jobs.ts'

/**
 * Time slice in ms for the jobs (calls of user functions) in one message to a worker thread. After
 * this time the thread returns the results so far, so that a slow function delays few other
 * functions.
 */
const sliceMs = 10

await serveRequests(
  async (limits: CallLimits) => {
    const engine = await Engine.create(limits)
    return (job: Job) => engine.run(job)
  },
  { sliceMs },
)
