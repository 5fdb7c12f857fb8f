import { Type } from 'typebox'
import { described, Text } from './primitives.ts'

/** Path of an existing mailbox of an account. */
export const MailboxPath = Text('Full path of the mailbox, such as `Clients/2026`.', {
  minLength: 1,
  maxLength: 1024,
  format: 'mailbox-path',
})

/** Mailbox of an account, given by its path or special use. */
export const MailboxTarget = described(
  'Full path of a mailbox, such as `Clients/2026`, or a special use such as `\\Archive`.',
  MailboxPath,
)

/**
 * Path of a new mailbox. The prefix of the personal namespace (RFC 2342) is added if the path lacks
 * it.
 */
export const NewMailboxPath = Type.Union(
  [
    MailboxPath,
    Type.Array(Type.String({ minLength: 1, maxLength: 256, format: 'mailbox-path' }), {
      minItems: 1,
      maxItems: 1000,
    }),
  ],
  {
    description:
      'Path of the new mailbox: a text with the separator of the mail server, or the list of the names of all levels.',
  },
)
