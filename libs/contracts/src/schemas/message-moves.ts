import { type Static, Type } from 'typebox'

/** What was found, by the ids that last: only where the server has OBJECTID, or is Gmail. */
const emailIds = Type.Optional(Type.Array(Type.String()))

/** Ids before and after. Left out where the server does not tell, or the folder is not indexed yet. */
const idMap = Type.Optional(
  Type.Array(Type.Unsafe<[string, string]>({ type: 'array', items: { type: 'string' } }), {
    description: 'Pairs of the id before and the id after',
  }),
)

export const MovedMessage = Type.Object({
  path: Type.String(),
  id: Type.Optional(Type.String({ description: 'Where the server tells it (UIDPLUS)' })),
  uid: Type.Optional(Type.Integer()),
})
export type MovedMessage = Static<typeof MovedMessage>

export const DeletedMessage = Type.Object({
  deleted: Type.Boolean({ description: 'Gone for good' }),
  moved: Type.Optional(
    Type.Object({
      destination: Type.String(),
      message: Type.Optional(Type.String({ description: 'The new id' })),
    }),
  ),
})
export type DeletedMessage = Static<typeof DeletedMessage>

export const MovedMessages = Type.Object({ path: Type.String(), idMap, emailIds })
export type MovedMessages = Static<typeof MovedMessages>

export const DeletedMessages = Type.Object({
  deleted: Type.Boolean({ description: 'Gone for good' }),
  moved: Type.Optional(Type.Object({ destination: Type.String(), idMap, emailIds })),
  deletedMessages: Type.Optional(Type.Object({ emailIds })),
})
export type DeletedMessages = Static<typeof DeletedMessages>
