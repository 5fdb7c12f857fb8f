import { type Static, Type } from 'typebox'
import { described, Nullable, OneOf, Strict, Text } from './primitives.ts'

/**
 * Maximum number of characters of one text, raw message or attachment in a request. For base64, the
 * encoded characters are counted.
 */
export const maxPartLength = 50 * 1024 * 1024

const line = { maxLength: 256, format: 'one-line' }
const header = {
  filename: Type.Optional(Text('File name.', line)),
  contentType: Type.Optional(Text('Media type. Defaults to that of the file name.', line)),
  contentDisposition: Type.Optional(
    OneOf(['inline', 'attachment'], { description: 'Disposition of the part (RFC 2183).' }),
  ),
  cid: Type.Optional(Text('Content-ID by which the HTML refers to the attachment.', line)),
  encoding: Type.Optional(
    OneOf(['base64'], { default: 'base64', description: 'Encoding of `content`.' }),
  ),
}

/** Content of a message or attachment as base64. The content has at least one byte. */
export const Base64Content = Text('Content as base64.', {
  minLength: 1,
  maxLength: maxPartLength,
  format: 'base64',
})

/** Raw message of a submission, which replaces the fields of a composed message. */
export const RawMessage = described('Complete message (RFC 5322) as base64.', Base64Content)

/** Attachment of a message, with its content in the request. */
export const UploadAttachment = Strict({ ...header, content: Base64Content })

/** Attachment of a message: either its content or the id of a stored attachment of the account. */
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
