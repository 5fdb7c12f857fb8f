import { Type } from 'typebox'
import * as commands from '../commands/mailboxes.ts'
import { defineOperation, operationKinds } from '../define.ts'
import { MailboxPath, NewMailboxPath } from '../schemas/mailbox-name.ts'
import { AccountId, Bool, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'

const { read, write, destructive } = operationKinds('Mailbox', 'mailbox')
const common = {
  params: Strict({ account: AccountId }),
  headers: Type.Object(timeoutHeader),
} as const
const one = { ...common, path: '/v1/account/:account/mailbox' } as const
const rejections =
  'If the mail server rejects the change, the response is a 400: `code` is the response code of the server, such as `ALREADYEXISTS` or `NONEXISTENT`, and `info.response` is the text of the server.'

export const createMailbox = defineOperation({
  ...write,
  ...one,
  id: 'createMailbox',
  method: 'post',
  summary: 'Create a mailbox',
  description: `Creates a mailbox in an account. ${rejections}`,
  body: Strict({ path: NewMailboxPath }),
  responseDescription: 'Path and id of the new mailbox.',
  response: commands.createMailbox.response,
  errors: workerErrors,
  command: commands.createMailbox,
})

export const updateMailbox = defineOperation({
  ...write,
  ...one,
  id: 'updateMailbox',
  method: 'put',
  summary: 'Rename a mailbox or change its subscription',
  description: `Renames a mailbox, changes its subscription, or does both: at least one of \`newPath\` and \`subscribed\` is required. A rename also renames the mailboxes below the mailbox. Message ids stay valid if the mail server keeps the UIDs of the messages. ${rejections}`,
  body: Strict({
    path: MailboxPath,
    newPath: Type.Optional(NewMailboxPath),
    subscribed: Type.Optional(
      Bool(
        'If true, the mailbox is subscribed. If false, the mailbox is unsubscribed. If absent, the subscription is not changed.',
      ),
    ),
  }),
  responseDescription: 'Path of the mailbox before and after the change.',
  response: commands.updateMailbox.response,
  errors: ['RenameFailed', 'FolderNotFound', 'UnsupportedOperation', ...workerErrors],
  command: commands.updateMailbox,
})

export const deleteMailbox = defineOperation({
  ...destructive,
  ...one,
  id: 'deleteMailbox',
  method: 'delete',
  summary: 'Delete a mailbox with its messages',
  description: `Deletes a mailbox with its messages. A Gmail label is deleted without its messages. The Inbox cannot be deleted. ${rejections}`,
  query: Strict({ path: MailboxPath }),
  responseDescription: 'Path and id of the deleted mailbox.',
  response: commands.deleteMailbox.response,
  errors: ['DeleteFailed', ...workerErrors],
  command: commands.deleteMailbox,
})

export const listMailboxes = defineOperation({
  ...read,
  ...common,
  id: 'listMailboxes',
  method: 'get',
  path: '/v1/account/:account/mailboxes',
  summary: 'List mailboxes',
  description:
    'Lists the mailboxes of an account, as stored by the last sync. With `counters`, the mail server is asked for the current number of messages in each mailbox.',
  query: Strict({
    counters: Type.Optional(
      Bool(
        'If true, the response contains current message counts (`status`). The mail server gets one STATUS request per mailbox, which can take seconds. Defaults to false.',
        {
          default: false,
        },
      ),
    ),
  }),
  responseDescription: 'All mailboxes of the account.',
  response: commands.listMailboxes.response,
  errors: workerErrors,
  command: commands.listMailboxes,
})
