import { type Static, Type } from 'typebox'
import { LastError } from './account.ts'
import { Nullable, Text } from './primitives.ts'

/** Data of a frame of `GET /v1/changes`. */
export const StateChange = Type.Object({
  account: Text('Account id.'),
  type: Text('Always `state`.'),
  key: Text('New state of the account.'),
  payload: Nullable(
    Type.Object({ error: LastError }, { description: 'Last error. Null if the account has none.' }),
  ),
})
export type StateChange = Static<typeof StateChange>
