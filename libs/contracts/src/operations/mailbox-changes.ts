import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { MailboxPath, NewMailboxPath } from '../schemas/mailbox-name.ts'
import { AccountId, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'

const at = {
  path: '/v1/account/:account/mailbox',
  tag: 'Mailbox',
  scope: 'api',
  params: Strict({ account: AccountId }),
  headers: Type.Object(timeoutHeader),
} as const
const mailboxId = Type.Optional(Type.String({ description: 'Where the server has OBJECTID' }))
const refusals =
  'What the mail server refuses is a 400 whose `code` is its response code, such as `ALREADYEXISTS` or `NONEXISTENT`, with its words in `info.response`.'

export const createMailbox = defineOperation({
  ...at,
  id: 'createMailbox',
  method: 'post',
  summary: 'Create a mailbox',
  description: refusals,
  permission: { action: 'write', group: 'mailbox' },
  body: Strict({ path: NewMailboxPath }),
  response: Type.Object({
    path: Type.String({ description: 'As the server has it' }),
    mailboxId,
    created: Type.Boolean(),
  }),
  errors: workerErrors,
})

/** A rename takes what is below the folder along, and keeps the ids of its messages where the server keeps theirs. */
export const updateMailbox = defineOperation({
  ...at,
  id: 'updateMailbox',
  method: 'put',
  summary: 'Rename a mailbox, subscribe to it or end that',
  description: `At least one of \`newPath\` and \`subscribed\` is required. ${refusals}`,
  permission: { action: 'write', group: 'mailbox' },
  body: Strict({
    path: MailboxPath,
    newPath: Type.Optional(NewMailboxPath),
    subscribed: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    path: Type.String({ description: 'Before' }),
    newPath: Type.Optional(Type.String({ description: 'As the server has it' })),
    mailboxId,
    renamed: Type.Optional(Type.Boolean()),
    subscribed: Type.Optional(
      Type.Boolean({
        description: 'As it is now; a subscription may be refused after a rename went through',
      }),
    ),
  }),
  errors: ['RenameFailed', 'FolderNotFound', ...workerErrors],
})

export const deleteMailbox = defineOperation({
  ...at,
  id: 'deleteMailbox',
  method: 'delete',
  summary: 'Delete a mailbox with the messages in it',
  description: refusals,
  permission: { action: 'destructive', group: 'mailbox' },
  query: Strict({ path: MailboxPath }),
  response: Type.Object({ path: Type.String(), mailboxId, deleted: Type.Boolean() }),
  errors: ['DeleteFailed', ...workerErrors],
})
