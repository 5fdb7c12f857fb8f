import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { MailboxEntry } from '../schemas/message.ts'
import { Strict } from '../schemas/primitives.ts'

// Served by the sync-worker that holds the account's shard: exchange `commands`, key `shard.<n>`.
// The stored mailbox list includes a change before the command is answered.

const account = Type.String()
const newPath = Type.Union([Type.String(), Type.Array(Type.String())])
const mailboxId = Type.Optional(
  Type.String({
    description: 'Permanent id of the mailbox. Absent if the server lacks OBJECTID (RFC 8474).',
  }),
)
const serverPath = 'Full path of the mailbox as the mail server reports it.'

/** Lists the stored mailboxes of an account. `counters` adds a STATUS request per mailbox. */
export const listMailboxes = defineCommand({
  name: 'listMailboxes',
  request: Strict({ account, counters: Type.Boolean() }),
  response: Type.Object({ mailboxes: Type.Array(MailboxEntry) }),
})

export const createMailbox = defineCommand({
  name: 'createMailbox',
  request: Strict({ account, path: newPath }),
  response: Type.Object({
    path: Type.String({ description: serverPath }),
    mailboxId,
    created: Type.Boolean(),
  }),
})

/** Renames a mailbox with the mailboxes below it, or changes its subscription, or both. */
export const updateMailbox = defineCommand({
  name: 'updateMailbox',
  request: Strict({
    account,
    path: Type.String(),
    newPath: Type.Optional(newPath),
    subscribed: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    path: Type.String({ description: 'Path before the change.' }),
    newPath: Type.Optional(Type.String({ description: serverPath })),
    mailboxId,
    renamed: Type.Optional(Type.Boolean()),
    subscribed: Type.Optional(
      Type.Boolean({
        description:
          'Subscription after the request. Differs from the requested value if the server rejected the change after a successful rename.',
      }),
    ),
  }),
})

export const deleteMailbox = defineCommand({
  name: 'deleteMailbox',
  request: Strict({ account, path: Type.String() }),
  response: Type.Object({ path: Type.String(), mailboxId, deleted: Type.Boolean() }),
})
