import { type Static, Type } from 'typebox'
import { OneOf, Strict } from './primitives.ts'

/** Stored message that this message replies to or forwards. */
export const Reference = Strict({
  message: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  action: Type.Optional(OneOf(['forward', 'reply', 'reply-all'], { default: 'reply' })),
  inline: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'If true, quotes the text of the referenced message.',
    }),
  ),
  forwardAttachments: Type.Optional(Type.Boolean({ default: false })),
  ignoreMissing: Type.Optional(Type.Boolean({ default: false })),
  messageId: Type.Optional(
    Type.String({
      maxLength: 996,
      description: 'Expected Message-ID. A message with another one counts as missing.',
    }),
  ),
  threadId: Type.Optional(Type.String({ maxLength: 256 })),
  documentStore: Type.Optional(Type.Boolean({ description: 'Accepted and ignored.' })),
})
export type Reference = Static<typeof Reference>

export const ReferenceResult = Type.Object({
  message: Type.Optional(Type.String()),
  threadId: Type.Optional(Type.String()),
  success: Type.Boolean(),
  error: Type.Optional(Type.String()),
})
export type ReferenceResult = Static<typeof ReferenceResult>
