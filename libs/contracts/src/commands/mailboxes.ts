import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { MailboxEntry } from '../schemas/message.ts'
import { Bool, Strict, Text } from '../schemas/primitives.ts'

// Commands about mailboxes, served by the sync-worker that holds the account's shard (group of
// accounts): exchange `commands`, routing key `shard.<n>`. After a change of a mailbox, the reply
// is sent when the stored mailbox list contains the change.

const account = Type.String()
const newPath = Type.Union([Type.String(), Type.Array(Type.String())])
const mailboxId = Type.Optional(
  Text('Permanent id of the mailbox. Absent if the mail server lacks OBJECTID (RFC 8474).'),
)
const serverPath = 'Full path of the mailbox, as reported by the mail server after the change.'

/**
 * Lists the stored mailboxes of an account. With `counters`, a STATUS request is sent for each
 * mailbox.
 */
export const listMailboxes = defineCommand({
  name: 'listMailboxes',
  repeatable: true,
  request: Strict({ account, counters: Type.Boolean() }),
  response: Type.Object({
    mailboxes: Type.Array(MailboxEntry, {
      description: 'Mailboxes of the account, with the counters of the last sync.',
    }),
  }),
})

export const createMailbox = defineCommand({
  name: 'createMailbox',
  request: Strict({ account, path: newPath }),
  response: Type.Object({
    path: Text(serverPath),
    mailboxId,
    created: Bool('Always true: the mailbox was created.'),
  }),
})

/**
 * Renames a mailbox and the mailboxes below it, changes the subscription of the mailbox, or does
 * both.
 */
export const updateMailbox = defineCommand({
  name: 'updateMailbox',
  request: Strict({
    account,
    path: Type.String(),
    newPath: Type.Optional(newPath),
    subscribed: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    path: Text('Path of the mailbox before the change.'),
    newPath: Type.Optional(Text(serverPath)),
    mailboxId,
    renamed: Type.Optional(Bool('True if the mailbox was renamed. Otherwise absent.')),
    subscribed: Type.Optional(
      Bool(
        'True if the user is subscribed to the mailbox after the request. Differs from the requested value if the mail server rejected the change after a successful rename.',
      ),
    ),
  }),
})

export const deleteMailbox = defineCommand({
  name: 'deleteMailbox',
  request: Strict({ account, path: Type.String() }),
  response: Type.Object({
    path: Text('Path of the deleted mailbox.'),
    mailboxId,
    deleted: Bool('Always true: the mailbox was deleted.'),
  }),
})
