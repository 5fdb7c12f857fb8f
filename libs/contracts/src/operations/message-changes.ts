import { Type } from 'typebox'
import * as commands from '../commands/message-changes.ts'
import { defineOperation, operationKinds } from '../define.ts'
import { FlagUpdate } from '../schemas/flag-update.ts'
import { MailboxTarget } from '../schemas/mailbox-name.ts'
import {
  AccountId,
  Bool,
  described,
  MessageId,
  Strict,
  Text,
  timeoutHeader,
} from '../schemas/primitives.ts'
import { Search } from '../schemas/search.ts'
import { workerErrors } from './worker-errors.ts'

const { write, destructive } = operationKinds('Message', 'message')
const headers = Type.Object(timeoutHeader)
const one = { headers, params: Strict({ account: AccountId, message: MessageId }) } as const
const many = { headers, params: Strict({ account: AccountId }) } as const
const force = Type.Optional(
  Bool('If true, deletes permanently instead of moving to the trash mailbox.', { default: false }),
)
const searched = described('Path or special use of the searched mailbox.', MailboxTarget)
const destination = described(
  'Path or special use of the mailbox that receives the messages.',
  MailboxTarget,
)
const notFound = ['InvalidId', 'InvalidMessageId', 'MessageNotFound'] as const
const unsupported = 'UnsupportedOperation'
const searchErrors = ['FolderNotFound', 'UnsupportedSearchTerm', 'MissingServerExtension'] as const
const batchNote =
  'Matching messages are processed in batches. If the request times out (`X-SVC-Timeout`) between two batches, completed batches are not rolled back and the response is a 504. A request processes at most 100,000 messages of an account at the Gmail API, and 1,000 at Microsoft Graph: repeat it until the response names none.'

export const updateMessage = defineOperation({
  ...write,
  ...one,
  id: 'updateMessage',
  method: 'put',
  path: '/v1/account/:account/message/:message',
  summary: 'Change flags and labels of a message',
  description:
    'The response lists the result of each requested change. For accounts on a mail API, `flags.result` and `labels.result` list all flags and labels after the change.',
  body: FlagUpdate,
  response: commands.updateMessage.response,
  errors: [...notFound, unsupported, 'MissingServerExtension', ...workerErrors],
})

export const moveMessage = defineOperation({
  ...write,
  ...one,
  id: 'moveMessage',
  method: 'put',
  path: '/v1/account/:account/message/:message/move',
  summary: 'Move a message to another mailbox',
  body: Strict({
    path: destination,
    source: Type.Optional(
      Text('Current mailbox, for accounts on a mail API. Rejected for other accounts.', {
        maxLength: 1024,
      }),
    ),
  }),
  response: commands.moveMessage.response,
  errors: [...notFound, unsupported, 'FolderNotFound', ...workerErrors],
  command: commands.moveMessage,
})

export const deleteMessage = defineOperation({
  ...destructive,
  ...one,
  id: 'deleteMessage',
  method: 'delete',
  path: '/v1/account/:account/message/:message',
  summary: 'Delete a message',
  description:
    'The message is moved to the trash mailbox. It is deleted permanently if it is already there, if `force` is true, or if the account has no trash mailbox.',
  query: Strict({ force }),
  response: commands.deleteMessage.response,
  errors: [...notFound, unsupported, 'TrashNotFound', ...workerErrors],
  command: commands.deleteMessage,
})

export const updateMessages = defineOperation({
  ...write,
  ...many,
  id: 'updateMessages',
  method: 'put',
  path: '/v1/account/:account/messages',
  summary: 'Change flags and labels of all messages that match a search',
  description: batchNote,
  query: Strict({ path: searched }),
  body: Strict({ search: Search, update: FlagUpdate }),
  response: commands.updateMessages.response,
  errors: [...searchErrors, unsupported, ...workerErrors],
  command: commands.updateMessages,
})

export const moveMessages = defineOperation({
  ...write,
  ...many,
  id: 'moveMessages',
  method: 'put',
  path: '/v1/account/:account/messages/move',
  summary: 'Move all messages that match a search to another mailbox',
  description: batchNote,
  query: Strict({ path: searched }),
  body: Strict({ search: Search, path: destination }),
  response: commands.moveMessages.response,
  errors: [...searchErrors, unsupported, ...workerErrors],
})

export const deleteMessages = defineOperation({
  ...destructive,
  ...many,
  id: 'deleteMessages',
  method: 'put',
  path: '/v1/account/:account/messages/delete',
  summary: 'Delete all messages that match a search',
  description: batchNote,
  query: Strict({ path: searched, force }),
  body: Strict({ search: Search }),
  response: commands.deleteMessages.response,
  errors: [...searchErrors, unsupported, 'TrashNotFound', ...workerErrors],
  command: commands.deleteMessages,
})
