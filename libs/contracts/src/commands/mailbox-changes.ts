import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import {
  deleteMailbox as deleting,
  updateMailbox as updating,
  createMailbox as creating,
} from '../operations/mailbox-changes.ts'
import { Strict } from '../schemas/primitives.ts'

// Asked of the sync-worker that holds the account's shard: exchange `commands`, key `shard.<n>`. When one of these is answered, the stored
// list of mailboxes shows what was done.

const account = Type.String()
const newPath = Type.Union([Type.String(), Type.Array(Type.String())])

export const createMailbox = defineCommand({
  name: 'createMailbox',
  request: Strict({ account, path: newPath }),
  response: creating.response,
})

export const updateMailbox = defineCommand({
  name: 'updateMailbox',
  request: Strict({
    account,
    path: Type.String(),
    newPath: Type.Optional(newPath),
    subscribed: Type.Optional(Type.Boolean()),
  }),
  response: updating.response,
})

export const deleteMailbox = defineCommand({
  name: 'deleteMailbox',
  request: Strict({ account, path: Type.String() }),
  response: deleting.response,
})
