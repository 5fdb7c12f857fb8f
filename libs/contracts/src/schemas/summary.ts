import { type Static, Type } from 'typebox'

const Text = Type.String({ maxLength: 2_000 })

/**
 * What a language model says of a message: text of a machine that read the text of a stranger. Never HTML, and nothing to act on without
 * asking somebody.
 */
export const MessageSummary = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 256, description: 'Of the answer, at the endpoint' })),
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
