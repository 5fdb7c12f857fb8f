import { Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { Text } from '../schemas/primitives.ts'

const mailbox = {
  path: Text('Full path of the mailbox, such as `Clients/2026`.'),
  name: Text('Name of the mailbox: last level of the path.'),
  specialUse: Type.Union([Type.String(), Type.Literal(false)], {
    description:
      'Special use of the mailbox, such as `\\Sent` (RFC 6154). False if the mailbox has no special use.',
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
    prevUidValidity: Type.Optional(
      Text('UIDVALIDITY of the mailbox before the reset. Absent if unknown.'),
    ),
    reason: Type.Union([Type.Literal('uidValidityChange'), Type.Literal('syncStateLost')], {
      description:
        'Reason for which message ids became invalid: `uidValidityChange` (the mail server has renumbered the mailbox) or `syncStateLost` (the stored mailbox index was lost).',
    }),
  }),
)
