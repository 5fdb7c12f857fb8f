import { type Static, Type } from 'typebox'
import { LastError } from './account.ts'
import { Nullable } from './primitives.ts'

/** What a frame of `GET /v1/changes` carries. */
export const StateChange = Type.Object({
  account: Type.String(),
  type: Type.String({ description: '`state`' }),
  key: Type.String({ description: 'The new state' }),
  payload: Nullable(
    Type.Object({ error: LastError }, { description: 'Where the account is in trouble' }),
  ),
})
export type StateChange = Static<typeof StateChange>
