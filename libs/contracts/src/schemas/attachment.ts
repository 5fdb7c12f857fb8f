import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Strict } from './primitives.ts'

/** Maximum characters of one text, message or attachment, counted as base64 where encoded. */
export const maxPartLength = 50 * 1024 * 1024

const header = {
  filename: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  contentType: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  contentDisposition: Type.Optional(OneOf(['inline', 'attachment'])),
  cid: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  encoding: Type.Optional(OneOf(['base64'], { default: 'base64' })),
}

/** Content as base64, at least one byte. */
export const Base64Content = Type.String({
  minLength: 1,
  maxLength: maxPartLength,
  format: 'base64',
})

/** Attachment with its content. */
export const UploadAttachment = Strict({ ...header, content: Base64Content })

/** Attachment with its content, or the id of an attachment stored in the account. */
export const AttachmentSource = Strict({
  ...header,
  content: Type.Optional(Base64Content),
  reference: Type.Optional(
    Nullable(
      Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Literal(false)], {
        description: 'Id of an attachment of this account, used instead of `content`.',
      }),
    ),
  ),
})
export type AttachmentSource = Static<typeof AttachmentSource>
