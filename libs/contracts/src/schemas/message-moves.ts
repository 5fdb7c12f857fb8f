import { type Static, Type } from 'typebox'

/** Permanent ids of the processed messages. Only with OBJECTID (RFC 8474) and Gmail. */
const emailIds = Type.Optional(Type.Array(Type.String()))

/** Absent if the server does not report new UIDs (UIDPLUS) or the mailbox is not indexed yet. */
const idMap = Type.Optional(
  Type.Array(Type.Unsafe<[string, string]>({ type: 'array', items: { type: 'string' } }), {
    description: 'Pairs of message ids before and after the move.',
  }),
)

export const MovedMessage = Type.Object({
  path: Type.String(),
  id: Type.Optional(
    Type.String({ description: 'New message id. Absent if the server lacks UIDPLUS.' }),
  ),
  uid: Type.Optional(Type.Integer()),
})
export type MovedMessage = Static<typeof MovedMessage>

export const DeletedMessage = Type.Object({
  deleted: Type.Boolean({
    description: 'True if deleted permanently, false if moved to the trash mailbox.',
  }),
  moved: Type.Optional(
    Type.Object({
      destination: Type.String(),
      message: Type.Optional(Type.String({ description: 'New message id.' })),
    }),
  ),
})
export type DeletedMessage = Static<typeof DeletedMessage>

export const MovedMessages = Type.Object({ path: Type.String(), idMap, emailIds })
export type MovedMessages = Static<typeof MovedMessages>

export const DeletedMessages = Type.Object({
  deleted: Type.Boolean({
    description: 'True if deleted permanently, false if moved to the trash mailbox.',
  }),
  moved: Type.Optional(Type.Object({ destination: Type.String(), idMap, emailIds })),
  deletedMessages: Type.Optional(Type.Object({ emailIds })),
})
export type DeletedMessages = Static<typeof DeletedMessages>
