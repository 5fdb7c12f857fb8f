import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { updateMessages as updating } from '../operations/message-changes.ts'
import { FlagResult, FlagUpdate } from '../schemas/flag-update.ts'
import {
  DeletedMessage,
  DeletedMessages,
  MovedMessage,
  MovedMessages,
} from '../schemas/message-moves.ts'
import { Strict } from '../schemas/primitives.ts'
import { Search } from '../schemas/search.ts'

// Asked of the sync-worker that holds the account's shard: exchange `commands`, key `shard.<n>`. What they change becomes events by the
// sync, as what anybody else changes.

const account = Type.String()
const message = Type.String()
/** A folder path or a special use. */
const path = Type.String()
const force = Type.Boolean()

export const updateMessage = defineCommand({
  name: 'updateMessage',
  request: Strict({ account, message, update: FlagUpdate }),
  response: FlagResult,
})

export const moveMessage = defineCommand({
  name: 'moveMessage',
  request: Strict({ account, message, path }),
  response: MovedMessage,
})

export const deleteMessage = defineCommand({
  name: 'deleteMessage',
  request: Strict({ account, message, force }),
  response: DeletedMessage,
})

/** The following go through all that a search in a folder finds, until the deadline: what was done by then stays done. */
export const updateMessages = defineCommand({
  name: 'updateMessages',
  request: Strict({ account, path, search: Search, update: FlagUpdate }),
  response: updating.response,
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
