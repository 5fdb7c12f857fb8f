import { type Static, Type } from 'typebox'
import { OneOf, Strict } from './primitives.ts'

/** A stored message that this one answers or passes on. */
export const Reference = Strict({
  message: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  action: Type.Optional(OneOf(['forward', 'reply', 'reply-all'], { default: 'reply' })),
  inline: Type.Optional(
    Type.Boolean({ default: false, description: 'Quotes the text of the message' }),
  ),
  forwardAttachments: Type.Optional(Type.Boolean({ default: false })),
  ignoreMissing: Type.Optional(Type.Boolean({ default: false })),
  messageId: Type.Optional(
    Type.String({
      maxLength: 996,
      description: 'The Message-ID that the message must have, or it counts as missing',
    }),
  ),
  threadId: Type.Optional(Type.String({ maxLength: 256 })),
  documentStore: Type.Optional(Type.Boolean({ description: 'Has no effect' })),
})
export type Reference = Static<typeof Reference>

export const ReferenceResult = Type.Object({
  message: Type.Optional(Type.String()),
  threadId: Type.Optional(Type.String()),
  success: Type.Boolean(),
  error: Type.Optional(Type.String()),
})
export type ReferenceResult = Static<typeof ReferenceResult>
