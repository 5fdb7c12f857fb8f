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
  Bool(
    'If true, messages are deleted permanently instead of moved to the trash mailbox. Defaults to false.',
    {
      default: false,
    },
  ),
)
const searched = described(
  'Mailbox that is searched: its path, or a special use such as `\\Junk`.',
  MailboxTarget,
)
const destination = described(
  'Mailbox that receives the messages: its path, or a special use such as `\\Archive`.',
  MailboxTarget,
)
const notFound = ['InvalidId', 'InvalidMessageId', 'MessageNotFound'] as const
const unsupported = 'UnsupportedOperation'
const searchErrors = ['FolderNotFound', 'UnsupportedSearchTerm', 'MissingServerExtension'] as const
const batchNote =
  'Messages are processed in batches. If the request times out (`X-SVC-Timeout`) between two batches, the completed batches remain and the response is a 504: repeat the request. One request processes at most 100,000 messages of an account at the Gmail API, and at most 1,000 messages at Microsoft Graph: repeat the request until the response names no message.'

export const updateMessage = defineOperation({
  ...write,
  ...one,
  id: 'updateMessage',
  method: 'put',
  path: '/v1/account/:account/message/:message',
  summary: 'Change flags and labels of a message',
  description:
    'Adds, removes or replaces flags and labels of a message. For accounts on a mail API (Gmail API, Microsoft Graph), `flags.result` and `labels.result` list all flags and labels after the change.',
  body: FlagUpdate,
  responseDescription: 'Result of each requested change of flags and labels of the message.',
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
  description:
    'Moves a message to another mailbox of the account. On an IMAP account the message gets a new id: use `id` of the response. `id` is absent if the mail server lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs.',
  body: Strict({
    path: destination,
    source: Type.Optional(
      Text(
        'Path of the mailbox from which the message is moved, for accounts on a mail API (Gmail API, Microsoft Graph). Other accounts reject this member.',
        {
          maxLength: 1024,
        },
      ),
    ),
  }),
  responseDescription: 'Mailbox and new id of the moved message.',
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
    'Moves a message to the trash mailbox. The message is deleted permanently if it is already in the trash mailbox, if `force` is true, or if the account has no trash mailbox.',
  query: Strict({ force }),
  responseDescription: 'Whether the message was deleted permanently or moved to the trash mailbox.',
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
  description: `Changes flags and labels of all messages in a mailbox that match a search. ${batchNote}`,
  query: Strict({ path: searched }),
  body: Strict({ search: Search, update: FlagUpdate }),
  responseDescription:
    'Result of each requested change of flags and labels, for all matching messages together.',
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
  description: `Moves all messages in a mailbox that match a search to another mailbox. ${batchNote}`,
  query: Strict({ path: searched }),
  body: Strict({ search: Search, path: destination }),
  responseDescription: 'Mailbox and new ids of the moved messages.',
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
  description: `Moves all messages in a mailbox that match a search to the trash mailbox. The messages are deleted permanently if they are already in the trash mailbox, or if \`force\` is true. ${batchNote}`,
  query: Strict({ path: searched, force }),
  body: Strict({ search: Search }),
  responseDescription:
    'Whether the messages were deleted permanently or moved to the trash mailbox.',
  response: commands.deleteMessages.response,
  errors: [...searchErrors, unsupported, 'TrashNotFound', ...workerErrors],
  command: commands.deleteMessages,
})
