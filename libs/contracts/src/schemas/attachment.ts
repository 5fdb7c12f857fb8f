import { type Static, Type } from 'typebox'
import { described, Nullable, OneOf, Strict, Text } from './primitives.ts'

/**
 * Maximum number of characters of one text, raw message or attachment in a request. For base64, the
 * encoded characters are counted.
 */
export const maxPartLength = 50 * 1024 * 1024

const line = { maxLength: 256, format: 'one-line' }
const header = {
  filename: Type.Optional(Text('File name of the attachment.', line)),
  contentType: Type.Optional(
    Text(
      'Media type of the attachment, such as `application/pdf`. Defaults to the media type for the extension of the file name.',
      line,
    ),
  ),
  contentDisposition: Type.Optional(
    OneOf(['inline', 'attachment'], {
      description:
        'Presentation of the attachment by mail clients (RFC 2183): `inline` inside the text, or `attachment` beside the text.',
    }),
  ),
  cid: Type.Optional(
    Text(
      'Content-ID of the attachment. The HTML shows an image with the URL `cid:` and this Content-ID.',
      line,
    ),
  ),
  encoding: Type.Optional(
    OneOf(['base64'], {
      default: 'base64',
      description: 'Encoding of `content`. Only `base64` is supported.',
    }),
  ),
}

/** Content of a message or attachment as base64. The content has at least one byte. */
export const Base64Content = Text(
  'Content of the attachment in base64. At most 52,428,800 encoded characters.',
  {
    minLength: 1,
    maxLength: maxPartLength,
    format: 'base64',
  },
)

/** Raw message of a submission, which replaces the fields of a composed message. */
export const RawMessage = described(
  'Complete message with headers and body (RFC 5322), in base64. Replaces the fields of a composed message. At most 52,428,800 encoded characters.',
  Base64Content,
)

/** Attachment of a message, with its content in the request. */
export const UploadAttachment = Strict({ ...header, content: Base64Content })

/** Attachment of a message: either its content or the id of a stored attachment of the account. */
export const AttachmentSource = Strict({
  ...header,
  content: Type.Optional(Base64Content),
  reference: Type.Optional(
    Nullable(
      Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Literal(false)], {
        description:
          'Id of a stored attachment of the same account, which is used instead of `content`. Null or false: `content` is used.',
      }),
    ),
  ),
})
export type AttachmentSource = Static<typeof AttachmentSource>
