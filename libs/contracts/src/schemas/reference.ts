import { type Static, Type } from 'typebox'
import { Bool, OneOf, Strict, Text } from './primitives.ts'

/** Member or parameter of an API request that is accepted for compatibility and has no effect. */
export const documentStore = Type.Optional(Bool('Accepted and ignored.'))

/** Stored message to which a submission replies, or which the submission forwards. */
export const Reference = Strict(
  {
    message: Type.Optional(Text('Id of the referenced message.', { minLength: 1, maxLength: 256 })),
    action: Type.Optional(
      OneOf(['forward', 'reply', 'reply-all'], {
        default: 'reply',
        description: 'Kind of reference. Determines recipients, subject and quotation.',
      }),
    ),
    inline: Type.Optional(
      Bool('If true, quotes the text of the referenced message.', { default: false }),
    ),
    forwardAttachments: Type.Optional(
      Bool('If true, a forwarded message includes the attachments.', { default: false }),
    ),
    ignoreMissing: Type.Optional(
      Bool('If true, the message is accepted although the referenced one does not exist.', {
        default: false,
      }),
    ),
    messageId: Type.Optional(
      Text('Expected Message-ID. A message with another one counts as missing.', {
        maxLength: 996,
      }),
    ),
    threadId: Type.Optional(Text('Id of the thread.', { maxLength: 256 })),
    documentStore,
  },
  { description: 'Stored message that this message replies to or forwards.' },
)
export type Reference = Static<typeof Reference>

export const ReferenceResult = Type.Object(
  {
    message: Type.Optional(Text('Id of the referenced message.')),
    threadId: Type.Optional(Text('Id of the thread of the referenced message.')),
    success: Bool('True if the referenced message was found.'),
    error: Type.Optional(Text('Reason for which it was not found.')),
  },
  { description: 'Result of resolving `reference`.' },
)
export type ReferenceResult = Static<typeof ReferenceResult>
