import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { FlagResult, FlagUpdate } from '../schemas/flag-update.ts'
import { MailboxTarget } from '../schemas/mailbox-name.ts'
import {
  DeletedMessage,
  DeletedMessages,
  MovedMessage,
  MovedMessages,
} from '../schemas/message-moves.ts'
import { AccountId, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { Search } from '../schemas/search.ts'
import { workerErrors } from './worker-errors.ts'

const headers = Type.Object(timeoutHeader)
const one = {
  tag: 'Message',
  scope: 'api',
  headers,
  params: Strict({ account: AccountId, message: Type.String({ minLength: 1, maxLength: 256 }) }),
} as const
const many = {
  tag: 'Message',
  scope: 'api',
  headers,
  params: Strict({ account: AccountId }),
} as const
const write = { action: 'write', group: 'message' } as const
const destructive = { action: 'destructive', group: 'message' } as const
const force = Type.Optional(
  Type.Boolean({ default: false, description: 'Deletes for good, from wherever it is' }),
)
const notFound = ['InvalidId', 'MessageNotFound'] as const
const notSearched = ['FolderNotFound', 'UnsupportedSearchTerm', 'MissingServerExtension'] as const
const inPieces =
  'All that the search finds is gone through in pieces. When time is up (`X-SVC-Timeout`) between two of them, what was done stays done and the answer is a 504.'

/** Answers, step by step, what was done. */
export const updateMessage = defineOperation({
  ...one,
  id: 'updateMessage',
  method: 'put',
  path: '/v1/account/:account/message/:message',
  summary: 'Change flags and labels of a message',
  permission: write,
  body: FlagUpdate,
  response: FlagResult,
  errors: [...notFound, 'MissingServerExtension', ...workerErrors],
})

export const moveMessage = defineOperation({
  ...one,
  id: 'moveMessage',
  method: 'put',
  path: '/v1/account/:account/message/:message/move',
  summary: 'Move a message to another mailbox',
  permission: write,
  body: Strict({
    path: MailboxTarget,
    source: Type.Optional(
      Type.String({ maxLength: 1024, description: 'For accounts on a mail API; ignored by IMAP' }),
    ),
  }),
  response: MovedMessage,
  errors: [...notFound, 'FolderNotFound', ...workerErrors],
})

/** To the trash, or for good where it is there already, `force` says so, or the account has no trash. */
export const deleteMessage = defineOperation({
  ...one,
  id: 'deleteMessage',
  method: 'delete',
  path: '/v1/account/:account/message/:message',
  summary: 'Delete a message',
  permission: destructive,
  query: Strict({ force }),
  response: DeletedMessage,
  errors: [...notFound, ...workerErrors],
})

export const updateMessages = defineOperation({
  ...many,
  id: 'updateMessages',
  method: 'put',
  path: '/v1/account/:account/messages',
  summary: 'Change flags and labels of all messages that a search finds',
  description: inPieces,
  permission: write,
  query: Strict({ path: MailboxTarget }),
  body: Strict({ search: Search, update: FlagUpdate }),
  response: Type.Object({
    ...FlagResult.properties,
    emailIds: Type.Optional(Type.Array(Type.String())),
  }),
  errors: [...notSearched, ...workerErrors],
})

export const moveMessages = defineOperation({
  ...many,
  id: 'moveMessages',
  method: 'put',
  path: '/v1/account/:account/messages/move',
  summary: 'Move all messages that a search finds to another mailbox',
  description: inPieces,
  permission: write,
  query: Strict({ path: MailboxTarget }),
  body: Strict({ search: Search, path: MailboxTarget }),
  response: MovedMessages,
  errors: [...notSearched, ...workerErrors],
})

export const deleteMessages = defineOperation({
  ...many,
  id: 'deleteMessages',
  method: 'put',
  path: '/v1/account/:account/messages/delete',
  summary: 'Delete all messages that a search finds',
  description: inPieces,
  permission: destructive,
  query: Strict({ path: MailboxTarget, force }),
  body: Strict({ search: Search }),
  response: DeletedMessages,
  errors: [...notSearched, ...workerErrors],
})
