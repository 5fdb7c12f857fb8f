import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Int, Strict } from '../schemas/primitives.ts'
import { Stats } from '../schemas/stats.ts'

export const getStats = defineOperation({
  id: 'getStats',
  method: 'get',
  path: '/v1/stats',
  tag: 'Stats',
  summary: 'Read statistics of the instance',
  description:
    'Reads versions, connections to Postgres and RabbitMQ, the number of accounts by state, the length of the queues, and counters of events, webhooks, submissions and API calls in the time window of the last `seconds`.',
  scope: 'api',
  permission: { action: 'read', group: 'diagnostics' },
  query: Strict({
    seconds: Type.Optional(
      Int(
        'Length of the time window of `counters`, in seconds until now, rounded to minutes. Defaults to 3,600.',
        {
          minimum: 0,
          maximum: 604_800,
          default: 3600,
        },
      ),
    ),
  }),
  responseDescription: 'Statistics of the installation.',
  response: Stats,
})
