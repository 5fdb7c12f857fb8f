import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { FlagResult, FlagUpdate, MessageFlagResult } from '../schemas/flag-update.ts'
import {
  DeletedMessage,
  DeletedMessages,
  emailIds,
  MovedMessage,
  MovedMessages,
} from '../schemas/message-moves.ts'
import { Strict } from '../schemas/primitives.ts'
import { Search } from '../schemas/search.ts'

// Commands that change messages, served by the sync-worker that holds the account's shard (group of
// accounts): exchange `commands`, routing key `shard.<n>`. The next sync creates events for these
// changes, as for changes by mail clients.

const account = Type.String()
const message = Type.String()
/** Mailbox whose messages a command changes: its path, or a special use such as `\Archive`. */
const path = Type.String()
const force = Type.Boolean()

export const updateMessage = defineCommand({
  name: 'updateMessage',
  request: Strict({ account, message, update: FlagUpdate }),
  response: MessageFlagResult,
})

export const moveMessage = defineCommand({
  name: 'moveMessage',
  request: Strict({
    account,
    message,
    path,
    /** Path of the folder from which a message is moved. Not used for IMAP accounts. */
    source: Type.Optional(Type.String()),
  }),
  response: MovedMessage,
})

export const deleteMessage = defineCommand({
  name: 'deleteMessage',
  request: Strict({ account, message, force }),
  response: DeletedMessage,
})

// Commands that process all messages matching a search, in batches, until the deadline of the
// command. Batches that were completed before the deadline are not rolled back.

export const updateMessages = defineCommand({
  name: 'updateMessages',
  request: Strict({ account, path, search: Search, update: FlagUpdate }),
  response: Type.Object({
    ...FlagResult.properties,
    emailIds,
  }),
})

export const moveMessages = defineCommand({
  name: 'moveMessages',
  request: Strict({ account, path, search: Search, destination: Type.String() }),
  response: MovedMessages,
})

export const deleteMessages = defineCommand({
  name: 'deleteMessages',
  request: Strict({ account, path, search: Search, force }),
  response: DeletedMessages,
})
