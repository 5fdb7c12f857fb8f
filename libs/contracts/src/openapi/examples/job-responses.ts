import { ids, onlyPage } from './cast.ts'

const newJob = {
  id: ids.job,
  state: 'queued',
  maxEntries: null,
  total: null,
  done: 0,
  failed: 0,
  skipped: 0,
  errors: [],
  createdAt: '2030-01-31T10:00:00.000Z',
  startedAt: null,
  finishedAt: null,
}
const runningJob = {
  ...newJob,
  state: 'running',
  total: 1_200,
  startedAt: '2030-01-31T10:00:01.000Z',
}
const reconnect = {
  action: 'reconnect',
  filter: { state: 'authenticationError' },
  logs: null,
}
const hold = { action: 'hold', filter: { account: 'jane' } }
const runningReconnect = {
  ...runningJob,
  ...reconnect,
  done: 419,
  failed: 1,
  skipped: 5,
  errors: [
    {
      id: 'omar',
      code: 'NoAvailable',
      message: 'The account is paused, set paused to false to connect it',
    },
  ],
}
const runningHold = { ...runningJob, ...hold, done: 900 }
const cancelled = { state: 'cancelled', finishedAt: '2030-01-31T10:00:18.000Z' }

/** Examples of responses of the operations on bulk jobs, by operation id. */
export const jobResponses = {
  createAccountJob: { ...newJob, ...reconnect },
  listAccountJobs: { ...onlyPage(1), jobs: [runningReconnect] },
  getAccountJob: runningReconnect,
  cancelAccountJob: { ...runningReconnect, ...cancelled },
  createOutboxJob: { ...newJob, ...hold },
  listOutboxJobs: { ...onlyPage(1), jobs: [runningHold] },
  getOutboxJob: runningHold,
  cancelOutboxJob: { ...runningHold, ...cancelled },
}
