import { type Static, Type } from 'typebox'
import { Bool, Int, Text } from './primitives.ts'

/** Schema for the number of entries in a work queue. Counting stops at 10,000. */
const jobs = (description: string) =>
  Type.Object(
    {
      waiting: Int(
        'Number of due entries of the work queue that are not yet in progress. Counting stops at 10,000.',
      ),
      active: Int(
        'Number of entries of the work queue that are in progress. Counting stops at 10,000.',
      ),
      delayed: Int(
        'Number of entries of the work queue that wait for `sendAt` or for the next attempt. Counting stops at 10,000.',
      ),
      failed: Int(
        'Number of stored entries of the work queue that failed after all attempts. Counting stops at 10,000.',
      ),
    },
    { description },
  )

const count = (state: string) => Int(`Number of accounts in the state \`${state}\`.`)

/** Statistics of the whole installation, as the API returns them. */
export const Stats = Type.Object({
  version: Text('Version of Posthorn that answers the request.'),
  license: Text('License of the installation. Always `none`, because no license key is required.'),
  accounts: Int('Number of registered accounts.'),
  node: Text('Version of Node.js on which api-gateway runs.'),
  arch: Text('CPU architecture on which api-gateway runs, such as `x64`.'),
  postgres: Text('Version of the Postgres server that stores all data.'),
  postgresPing: Type.Number({
    description: 'Round-trip time of a test query to Postgres, in milliseconds.',
  }),
  rabbitmq: Bool('True if api-gateway is connected to RabbitMQ.'),
  queues: Type.Object(
    {
      notify: jobs('Numbers of webhook deliveries by state.'),
      submit: jobs('Numbers of submissions (messages to send) by state.'),
    },
    {
      description:
        'Webhook deliveries (`notify`) and submissions (`submit`). Each count stops at 10,000.',
    },
  ),
  connections: Type.Object(
    {
      init: count('init'),
      connected: count('connected'),
      connecting: count('connecting'),
      syncing: count('syncing'),
      authenticationError: count('authenticationError'),
      connectError: count('connectError'),
      unset: count('unset'),
      disconnected: count('disconnected'),
      paused: count('paused'),
      unassigned: Int(
        'Number of accounts that no sync-worker serves, in any state. These accounts are not part of the other counts.',
      ),
    },
    { description: 'Numbers of accounts by state. Each account is counted once.' },
  ),
  counters: Type.Record(Type.String(), Type.Integer(), {
    description:
      'Counters of the time window that the parameter `seconds` selects, by name: `events:<event>` for each event, `webhooks:success` and `webhooks:fail` for webhook deliveries, `submit:success` and `submit:fail` for submissions, `apiCall:success` and `apiCall:fail` for API requests.',
  }),
})
export type Stats = Static<typeof Stats>
