import { type Static, Type } from 'typebox'
import { Bool, Int, Text, Time } from './primitives.ts'

/** Process of the service sync-worker, which serves accounts. */
export const Worker = Type.Object({
  id: Text('Id of the worker. Each start of a sync-worker process generates a new id.'),
  alive: Bool(
    'True if the worker has sent a heartbeat recently (3 times `SVC_WORKER_HEARTBEAT`). Other workers claim the shards of a worker that is not alive.',
  ),
  heartbeatAt: Time('Time of the last heartbeat of the worker (ISO 8601).'),
  releasing: Bool(
    'True if the worker hands its shards over to other workers, because the worker is stopping or was released.',
  ),
  refusing: Bool('True if the worker has no memory for further accounts.'),
  loggingInUntil: Type.Optional(
    Time(
      'Expected end of the logins for accounts that were transferred to the worker (ISO 8601). Absent if no logins are expected.',
    ),
  ),
  shards: Type.Array(Type.Integer(), {
    description: 'Shards (groups of accounts, numbered 0 to 255) that the worker holds.',
  }),
  accounts: Int('Number of accounts in the shards of the worker.'),
})
export type Worker = Static<typeof Worker>

export const WorkerList = Type.Object({
  workers: Type.Array(Worker, {
    description:
      'Workers, sorted by id. A worker that is not alive is listed for up to 1 h after its last heartbeat.',
  }),
  unheld: Type.Object(
    {
      shards: Type.Array(Type.Integer(), {
        description: 'Shards (groups of accounts, numbered 0 to 255) that no live worker holds.',
      }),
      accounts: Int('Number of accounts in these shards. No worker serves these accounts.'),
    },
    { description: 'Shards without a live worker.' },
  ),
})
export type WorkerList = Static<typeof WorkerList>
