import { type Static, Type } from 'typebox'
import { Bool, Int, Text, Texts } from './primitives.ts'

/**
 * Permanent ids of the moved or deleted messages. Only present for IMAP servers with OBJECTID (RFC
 * 8474) and for Gmail.
 */
export const emailIds = Type.Optional(
  Texts('Permanent ids of the messages. Absent if the server has none (OBJECTID, Gmail).'),
)

/**
 * Message ids before and after a move, as pairs. Absent if the mail server does not report the new
 * UIDs (UIDPLUS), or if the mailbox is not indexed yet.
 */
const idMap = Type.Optional(
  Type.Array(Type.Unsafe<[string, string]>({ type: 'array', items: { type: 'string' } }), {
    description: 'Pairs of message ids before and after the move.',
  }),
)
const path = Text('Path of the mailbox that contains the messages now.')
const destination = Text('Path of the trash mailbox.')
const deleted = Bool('True if deleted permanently, false if moved to the trash mailbox.')
const moved = 'Move to the trash mailbox. Absent if deleted permanently.'

export const MovedMessage = Type.Object({
  path: Text('Path of the mailbox that contains the message now.'),
  id: Type.Optional(Text('New message id. Absent if the server lacks UIDPLUS.')),
  uid: Type.Optional(Int('New UID. Absent if the server lacks UIDPLUS, and for mail APIs.')),
})
export type MovedMessage = Static<typeof MovedMessage>

export const DeletedMessage = Type.Object({
  deleted,
  moved: Type.Optional(
    Type.Object(
      { destination, message: Type.Optional(Text('New message id.')) },
      { description: moved },
    ),
  ),
})
export type DeletedMessage = Static<typeof DeletedMessage>

export const MovedMessages = Type.Object({ path, idMap, emailIds })
export type MovedMessages = Static<typeof MovedMessages>

export const DeletedMessages = Type.Object({
  deleted,
  moved: Type.Optional(Type.Object({ destination, idMap, emailIds }, { description: moved })),
  deletedMessages: Type.Optional(
    Type.Object({ emailIds }, { description: 'Permanently deleted messages.' }),
  ),
})
export type DeletedMessages = Static<typeof DeletedMessages>
