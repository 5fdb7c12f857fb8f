import { type Static, Type } from 'typebox'
import { Bool, Int, Text } from './primitives.ts'

/** Schema for the number of entries in a work queue. Counting stops at 10,000. */
const jobs = (description: string) =>
  Type.Object(
    {
      waiting: Int('Due entries not in progress.'),
      active: Int('Entries in progress.'),
      delayed: Int('Entries waiting for `sendAt` or their next attempt.'),
      failed: Int('Entries whose attempts are used up.'),
    },
    { description },
  )

const count = (state: string) => Int(`Number of accounts in the state \`${state}\`.`)

/** Statistics of the whole installation. */
export const Stats = Type.Object({
  version: Text('Version of the service.'),
  license: Text('Constant text: no license key is required.'),
  accounts: Int('Number of accounts.'),
  node: Text('Version of Node.js.'),
  arch: Text('CPU architecture.'),
  postgres: Text('Version of the Postgres server.'),
  postgresPing: Type.Number({ description: 'Round-trip time to Postgres in milliseconds.' }),
  rabbitmq: Bool('True if RabbitMQ is connected.'),
  queues: Type.Object(
    { notify: jobs('Webhook deliveries.'), submit: jobs('Submissions.') },
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
      unassigned: Int('Accounts that no worker serves, whatever their last state.'),
    },
    { description: 'Accounts by state. Each account is counted once.' },
  ),
  counters: Type.Record(Type.String(), Type.Integer(), {
    description:
      'Counters of the requested time window: `events:<event>`, `webhooks:success`, `webhooks:fail`, `submit:success`, `submit:fail`, `apiCall:success`, `apiCall:fail`.',
  }),
})
export type Stats = Static<typeof Stats>
