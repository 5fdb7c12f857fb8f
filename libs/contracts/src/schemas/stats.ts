import { type Static, Type } from 'typebox'

/** Numbers of entries. Counting stops at 10,000. */
const Jobs = Type.Object({
  waiting: Type.Integer({ description: 'Due entries not in progress.' }),
  active: Type.Integer({ description: 'Entries in progress.' }),
  delayed: Type.Integer({
    description: 'Entries waiting for `sendAt` or their next attempt.',
  }),
  failed: Type.Integer({ description: 'Entries whose attempts are used up.' }),
})

const Count = Type.Integer()

/** Statistics of the instance. */
export const Stats = Type.Object({
  version: Type.String(),
  license: Type.String({ description: 'Constant text: no license key is required.' }),
  accounts: Type.Integer(),
  node: Type.String({ description: 'Version of Node.js.' }),
  arch: Type.String(),
  postgres: Type.String({ description: 'Version of the Postgres server.' }),
  postgresPing: Type.Number({ description: 'Round-trip time to Postgres in milliseconds.' }),
  rabbitmq: Type.Boolean({ description: 'True if RabbitMQ is connected.' }),
  queues: Type.Object(
    { notify: Jobs, submit: Jobs },
    {
      description:
        'Webhook deliveries (`notify`) and submissions (`submit`). Each count stops at 10,000.',
    },
  ),
  /** Accounts by state. Each account is counted once. */
  connections: Type.Object({
    init: Count,
    connected: Count,
    connecting: Count,
    syncing: Count,
    authenticationError: Count,
    connectError: Count,
    unset: Count,
    disconnected: Count,
    paused: Count,
    unassigned: Type.Integer({
      description: 'Accounts that no worker serves, whatever their last state.',
    }),
  }),
  counters: Type.Record(Type.String(), Type.Integer(), {
    description:
      'Counters of the requested time window: `events:<event>`, `webhooks:success`, `webhooks:fail`, `submit:success`, `submit:fail`, `apiCall:success`, `apiCall:fail`.',
  }),
})
export type Stats = Static<typeof Stats>
