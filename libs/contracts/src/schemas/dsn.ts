import { type Static, Type } from 'typebox'
import { described, MailAddress, OneOf, Strict, Text } from './primitives.ts'

/** Request for delivery status notifications about a submission (RFC 3461). */
export const Dsn = Strict(
  {
    id: Type.Optional(
      Text(
        'Id of the message for delivery status notifications (ENVID). The notifications about the message contain this id.',
        {
          minLength: 1,
          maxLength: 256,
          format: 'one-line',
        },
      ),
    ),
    return: OneOf(['headers', 'full'], {
      description:
        'Part of the message that delivery status notifications contain (RET): `headers`, or `full` for the whole message.',
    }),
    notify: Type.Optional(
      Type.Array(OneOf(['never', 'success', 'failure', 'delay']), {
        maxItems: 4,
        uniqueItems: true,
        single: true,
        description:
          'Results for which delivery status notifications are sent (NOTIFY). `never` cannot be combined with other values.',
      }),
    ),
    recipient: Type.Optional(
      described(
        'Original recipient of the message for delivery status notifications (ORCPT).',
        MailAddress,
      ),
    ),
  },
  {
    description:
      'Request for delivery status notifications, which mail servers send to the envelope sender (RFC 3461). Without effect for accounts on a mail API.',
  },
)
export type Dsn = Static<typeof Dsn>
