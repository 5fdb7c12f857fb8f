import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Finding } from '../schemas/finding.ts'
import { Bool, Strict, Text } from '../schemas/primitives.ts'
import { StatsSeries, StatsSeriesQuery } from '../schemas/stats-series.ts'
import { WorkerList } from '../schemas/worker.ts'

const { read, write } = operationKinds('Installation', 'admin', '*')

export const getStatsSeries = defineOperation({
  ...read,
  id: 'getStatsSeries',
  method: 'get',
  path: '/admin/api/stats/series',
  summary: 'Read counters over time',
  description:
    'Reads the counters of `GET /v1/stats` over time, in steps of one minute or longer. Counters are stored for 8 days.',
  query: StatsSeriesQuery,
  responseDescription: 'Values of the requested counters for each step of the period.',
  response: StatsSeries,
})

export const listFindings = defineOperation({
  ...read,
  id: 'listFindings',
  method: 'get',
  path: '/admin/api/findings',
  summary: 'List conditions that need attention',
  description:
    'Checks the installation for conditions that an operator should know: missing settings, failing webhook targets, accounts without a worker, late work, paused queues, failing logins of many accounts, failed exports, the version of the database schema and the clock. Each finding names its remedy.',
  responseDescription: 'Findings, the most urgent first. Empty if there is nothing to report.',
  response: Type.Object({
    findings: Type.Array(Finding, {
      description: 'Findings, the most urgent first. Empty if there is nothing to report.',
    }),
  }),
})

export const listWorkers = defineOperation({
  ...read,
  id: 'listWorkers',
  method: 'get',
  path: '/admin/api/workers',
  summary: 'List the workers',
  description:
    'Lists the sync-worker processes, which serve the accounts, with their shards (groups of accounts) and numbers of accounts.',
  responseDescription: 'Workers with their shards, and the shards that no live worker holds.',
  response: WorkerList,
})

export const releaseWorker = defineOperation({
  ...write,
  id: 'releaseWorker',
  method: 'post',
  path: '/admin/api/workers/:worker/release',
  summary: 'Release the shards of a worker',
  description:
    'Makes a worker hand its shards (groups of accounts) over to the other workers, as fast as they can log the accounts in. The worker takes no shards from then on, until its process is restarted, unless no other worker runs. `GET /admin/api/workers` shows the progress.',
  params: Strict({ worker: Text('Id of the worker.', { format: 'uuid' }) }),
  responseDescription: 'Confirmation that the worker hands its shards over.',
  response: Type.Object({
    releasing: Bool('Always true: a failed request gets an error response.'),
  }),
  errors: ['NotFound'],
})
