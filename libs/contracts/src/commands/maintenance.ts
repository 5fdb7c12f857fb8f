import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'
import { ServerSignatures } from '../schemas/server-signatures.ts'

// Commands for the maintenance of an account (full sync, storage quota, email signatures), served
// by the sync-worker that holds the account's shard (group of accounts): exchange `commands`,
// routing key `shard.<n>`.

/**
 * Requests a full sync of all mailboxes of an account. The reply is sent when the sync is
 * scheduled.
 */
export const syncAccount = defineCommand({
  name: 'syncAccount',
  request: Strict({ account: Type.String() }),
  response: Type.Object({ sync: Type.Literal(true) }),
})

/**
 * Reads the storage quota of an account in bytes. `quota` is false if the mail server does not
 * report a quota.
 */
export const getQuota = defineCommand({
  name: 'getQuota',
  repeatable: true,
  request: Strict({ account: Type.String() }),
  response: Type.Object({
    quota: Type.Union([
      Type.Object({ usage: Type.Number(), limit: Type.Number() }),
      Type.Literal(false),
    ]),
  }),
})

/** Lists the email signatures that the mail provider stores for the addresses of a mailbox. */
export const listSignatures = defineCommand({
  name: 'listSignatures',
  repeatable: true,
  request: Strict({ account: Type.String() }),
  response: ServerSignatures,
})
