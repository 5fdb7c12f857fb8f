import { type Static, Type } from 'typebox'

/** Counted as far as it is cheap: 10,000 means that many or more. */
const Jobs = Type.Object({
  waiting: Type.Integer({ description: 'Due, and not in hand' }),
  active: Type.Integer({ description: 'In hand' }),
  delayed: Type.Integer({
    description: 'For later: waiting for their next attempt, or for `sendAt`',
  }),
  failed: Type.Integer({ description: 'Given up' }),
})

const Count = Type.Integer()

/** How the whole instance is doing. */
export const Stats = Type.Object({
  version: Type.String(),
  license: Type.String({ description: 'A constant: there are no license keys' }),
  accounts: Type.Integer(),
  node: Type.String({ description: 'Version of Node.js' }),
  arch: Type.String(),
  postgres: Type.String({ description: 'Version of the server' }),
  postgresPing: Type.Number({ description: 'Milliseconds of a round trip' }),
  rabbitmq: Type.Boolean({ description: 'Whether the broker can be used' }),
  queues: Type.Object(
    { notify: Jobs, submit: Jobs },
    { description: 'Webhook deliveries and messages to send; each count ends at 10,000' },
  ),
  /** Each account is in one of them. */
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
    unassigned: Type.Integer({ description: 'No worker holds them, whatever their state was' }),
  }),
  counters: Type.Record(Type.String(), Type.Integer(), {
    description:
      'Over the window: `events:<event>`, `webhooks:success`, `webhooks:fail`, `submit:success`, `submit:fail`, `apiCall:success`, `apiCall:fail`',
  }),
})
export type Stats = Static<typeof Stats>
