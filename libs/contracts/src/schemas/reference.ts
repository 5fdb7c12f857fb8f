import { type Static, Type } from 'typebox'
import { Bool, OneOf, Strict, Text } from './primitives.ts'

/** Member or parameter of an API request that is accepted for compatibility and has no effect. */
export const documentStore = Type.Optional(Bool('Accepted for compatibility and ignored.'))

/** Stored message to which a submission replies, or which the submission forwards. */
export const Reference = Strict(
  {
    message: Type.Optional(
      Text('Id of the stored message that this message replies to or forwards.', {
        minLength: 1,
        maxLength: 256,
      }),
    ),
    action: Type.Optional(
      OneOf(['forward', 'reply', 'reply-all'], {
        default: 'reply',
        description:
          'Relation to the referenced message: `reply` (default), `reply-all` or `forward`. Determines recipients, subject and quotation if these are not set.',
      }),
    ),
    inline: Type.Optional(
      Bool('If true, the message quotes the text of the referenced message. Defaults to false.', {
        default: false,
      }),
    ),
    forwardAttachments: Type.Optional(
      Bool(
        'If true, the attachments of the referenced message are included. Only for the action `forward`. Defaults to false.',
        { default: false },
      ),
    ),
    ignoreMissing: Type.Optional(
      Bool(
        'If true, the request succeeds even if the referenced message does not exist. If false (default), such a request fails with `ReferenceNotFound`.',
        {
          default: false,
        },
      ),
    ),
    messageId: Type.Optional(
      Text(
        'Expected Message-ID header of the referenced message. A message with another Message-ID counts as missing.',
        {
          maxLength: 996,
        },
      ),
    ),
    threadId: Type.Optional(
      Text('Id of the thread of the referenced message.', { maxLength: 256 }),
    ),
    documentStore,
  },
  { description: 'Stored message that this message replies to or forwards.' },
)
export type Reference = Static<typeof Reference>

export const ReferenceResult = Type.Object(
  {
    message: Type.Optional(
      Text('Id of the stored message that this message replies to or forwards.'),
    ),
    threadId: Type.Optional(Text('Id of the thread of the referenced message.')),
    success: Bool('True if the referenced message was found and used.'),
    error: Type.Optional(
      Text('Reason for which the referenced message was not used. Absent after a success.'),
    ),
  },
  { description: 'Result of the reference to a stored message in the request.' },
)
export type ReferenceResult = Static<typeof ReferenceResult>
