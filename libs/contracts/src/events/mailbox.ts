import { Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Text } from '../schemas/primitives.ts'

const mailbox = {
  path: Text('Path of the mailbox.'),
  name: Text('Last level of the path.'),
  specialUse: Type.Union([Type.String(), Type.Literal(false)], {
    description: 'Special use of the mailbox (RFC 6154). False if it has none.',
  }),
}
const uidValidity = Type.Optional(Text('UIDVALIDITY of the mailbox. IMAP accounts only.'))

/** A new mailbox was found in an account. Published by sync-worker, once per mailbox. */
export const mailboxNew = defineEvent('mailboxNew', Type.Object({ ...mailbox, uidValidity }))

/** A mailbox no longer exists. Published by sync-worker, once per mailbox. */
export const mailboxDeleted = defineEvent('mailboxDeleted', Type.Object(mailbox))

/**
 * All message ids of a mailbox have become invalid. Published by sync-worker. The messages in the
 * mailbox are not announced again.
 */
export const mailboxReset = defineEvent(
  'mailboxReset',
  Type.Object({
    ...mailbox,
    uidValidity,
    prevUidValidity: Type.Optional(Text('Former UIDVALIDITY. Absent if unknown.')),
    reason: Type.Union([Type.Literal('uidValidityChange'), Type.Literal('syncStateLost')], {
      description: 'Reason: changed UIDVALIDITY, or lost mailbox index.',
    }),
  }),
)
