import { type Static, Type } from 'typebox'
import { Bool, OneOf, Strict, Text } from './primitives.ts'

/** Member or parameter of an API request that is accepted for compatibility and has no effect. */
export const documentStore = Type.Optional(
  Bool('Member or parameter that is accepted for compatibility and ignored.'),
)

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
          'Relation of the new message to the stored message: `reply` (default), `reply-all` or `forward`. Determines the recipients, the subject and the quotation that the request does not set.',
      }),
    ),
    inline: Type.Optional(
      Bool(
        'If true, the new message quotes the text of the stored message that the new message replies to or forwards. Defaults to false.',
        {
          default: false,
        },
      ),
    ),
    forwardAttachments: Type.Optional(
      Bool(
        'If true, the attachments of the forwarded message are added to the new message. Only for the action `forward`. Defaults to false.',
        { default: false },
      ),
    ),
    ignoreMissing: Type.Optional(
      Bool(
        'If true, the request succeeds even if the stored message to reply to or forward does not exist. If false (default), such a request fails with `ReferenceNotFound`.',
        {
          default: false,
        },
      ),
    ),
    messageId: Type.Optional(
      Text(
        'Expected Message-ID header of the stored message. If the stored message has another Message-ID, the message counts as missing.',
        {
          maxLength: 996,
        },
      ),
    ),
    threadId: Type.Optional(
      Text('Id of the thread of the stored message that this message replies to or forwards.', {
        maxLength: 256,
      }),
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
    threadId: Type.Optional(
      Text('Id of the thread of the stored message that this message replies to or forwards.'),
    ),
    success: Bool(
      'True if the stored message was found and used for the reply or forwarded message.',
    ),
    error: Type.Optional(
      Text(
        'Reason for which the stored message was not used for the reply or forwarded message. Absent after a success.',
      ),
    ),
  },
  {
    description:
      'Result of the reference in the request to the stored message that this message replies to or forwards.',
  },
)
export type ReferenceResult = Static<typeof ReferenceResult>
