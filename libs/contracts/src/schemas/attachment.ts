import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Strict } from './primitives.ts'

/** Characters, base64 counted as such, that one text, message or attachment may have before it is refused. */
export const maxPartLength = 50 * 1024 * 1024

const described = {
  filename: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  contentType: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  contentDisposition: Type.Optional(OneOf(['inline', 'attachment'])),
  cid: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  encoding: Type.Optional(OneOf(['base64'], { default: 'base64' })),
}

/** Bytes as base64. There is no attachment, and no message, without any. */
export const Base64Content = Type.String({
  minLength: 1,
  maxLength: maxPartLength,
  format: 'base64',
})

/** An attachment with its content. */
export const UploadAttachment = Strict({ ...described, content: Base64Content })

/** An attachment with its content, or with the id of one that is stored in the account already. */
export const AttachmentSource = Strict({
  ...described,
  content: Type.Optional(Base64Content),
  reference: Type.Optional(
    Nullable(
      Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Literal(false)], {
        description: 'Id of an attachment of the account',
      }),
    ),
  ),
})
export type AttachmentSource = Static<typeof AttachmentSource>
