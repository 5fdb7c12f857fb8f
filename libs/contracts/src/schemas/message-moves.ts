import { type Static, Type } from 'typebox'
import { Bool, Int, Text, Texts } from './primitives.ts'

/**
 * Permanent ids of the moved or deleted messages. Only present for IMAP servers with OBJECTID (RFC
 * 8474) and for Gmail.
 */
export const emailIds = Type.Optional(
  Texts(
    'Permanent ids of the changed messages (member `emailId` of a message). Absent unless the mail server assigns permanent ids (OBJECTID or Gmail).',
  ),
)

/**
 * Message ids before and after a move, as pairs. Absent if the mail server does not report the new
 * UIDs (UIDPLUS), or if the mailbox is not indexed yet.
 */
const idMap = Type.Optional(
  Type.Array(Type.Unsafe<[string, string]>({ type: 'array', items: { type: 'string' } }), {
    description:
      'Message ids before and after the move, as one pair per message. Absent if the mail server lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs.',
  }),
)
const path = Text('Path of the mailbox to which the messages were moved.')
const destination = Text('Path of the trash mailbox, to which deleted messages are moved.')
const deleted = Bool(
  'True after a permanent deletion. False after a move to the trash mailbox, or if no message was deleted.',
)
const moved =
  'Trash mailbox to which the messages were moved, with the new ids. Absent after a permanent deletion.'

export const MovedMessage = Type.Object({
  path: Text('Path of the mailbox to which the message was moved.'),
  id: Type.Optional(
    Text(
      'Id of the message in the new mailbox. Absent if the mail server lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs.',
    ),
  ),
  uid: Type.Optional(
    Int(
      'UID of the message in the new mailbox. Absent if the mail server lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs, and for accounts on a mail API.',
    ),
  ),
})
export type MovedMessage = Static<typeof MovedMessage>

export const DeletedMessage = Type.Object({
  deleted,
  moved: Type.Optional(
    Type.Object(
      {
        destination,
        message: Type.Optional(
          Text(
            'Id of the message in the trash mailbox. Absent if the mail server lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs.',
          ),
        ),
      },
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
    Type.Object(
      { emailIds },
      {
        description:
          'Messages that were deleted permanently, with permanent ids if the mail server assigns such ids.',
      },
    ),
  ),
})
export type DeletedMessages = Static<typeof DeletedMessages>
