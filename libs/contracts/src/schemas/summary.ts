import { type Static, Type } from 'typebox'

const Text = Type.String({ maxLength: 2_000 })

/**
 * Summary of a message by a language model. Untrusted plain text, because the input is the text of
 * the sender: do not render it as HTML, and confirm actions with a user.
 */
export const MessageSummary = Type.Object({
  id: Type.Optional(
    Type.String({ maxLength: 256, description: 'Id of the completion, assigned by the endpoint.' }),
  ),
  tokens: Type.Optional(Type.Integer({ minimum: 0 })),
  model: Type.Optional(Type.String({ maxLength: 256 })),
  sentiment: Type.Optional(Type.String({ maxLength: 64 })),
  summary: Type.String({ minLength: 1, maxLength: 4_000 }),
  shouldReply: Type.Optional(Type.Boolean()),
  events: Type.Optional(
    Type.Array(Type.Object({ description: Text, startTime: Type.Optional(Type.String()) }), {
      maxItems: 20,
    }),
  ),
  actions: Type.Optional(
    Type.Array(Type.Object({ description: Text, dueDate: Type.Optional(Type.String()) }), {
      maxItems: 20,
    }),
  ),
})
export type MessageSummary = Static<typeof MessageSummary>
