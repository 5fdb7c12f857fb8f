import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

// Asked of the sync-worker that holds the account's shard: exchange `commands`, key `shard.<n>`.

/** Begins a full look at all folders. Answered when it is going to happen, not when it is over. */
export const syncAccount = defineCommand({
  name: 'syncAccount',
  request: Strict({ account: Type.String() }),
  response: Type.Object({ sync: Type.Literal(true) }),
})

/** How full the account is, in bytes; false where the server does not say. */
export const getQuota = defineCommand({
  name: 'getQuota',
  request: Strict({ account: Type.String() }),
  response: Type.Object({
    quota: Type.Union([
      Type.Object({ usage: Type.Number(), limit: Type.Number() }),
      Type.Literal(false),
    ]),
  }),
})
