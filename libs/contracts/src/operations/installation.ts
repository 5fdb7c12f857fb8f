import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Finding } from '../schemas/finding.ts'
import { MailProxyReplica } from '../schemas/mail-proxy.ts'
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
    'Checks the installation for conditions that an operator should know: missing settings, failing webhook targets, accounts without a worker, mail proxies that do not listen, certificates that expire, late work, paused queues, failing logins of many accounts, failed exports, the version of the database schema and the clock. Each finding names its remedy.',
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

export const listMailProxies = defineOperation({
  ...read,
  id: 'listMailProxies',
  method: 'get',
  path: '/admin/api/mailProxies',
  summary: 'List the mail proxies',
  description:
    'Lists the running replicas of imap-proxy and smtp-proxy, to which mail clients connect, with their listeners, certificates and sessions. Each replica reports its state every 10 seconds, and a change of its listener within a second. A replica without a report for 60 seconds is not listed.',
  responseDescription: 'Running replicas of the mail proxies.',
  response: Type.Object({
    mailProxies: Type.Array(MailProxyReplica, {
      description:
        'Running replicas of the mail proxies, sorted by service, host name and id. Empty if no mail proxy runs.',
    }),
  }),
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
