import { Type } from 'typebox'
import { defineEvent } from '../define.ts'

const mailbox = {
  path: Type.String(),
  name: Type.String(),
  specialUse: Type.Union([Type.String(), Type.Literal(false)]),
}

/** A mailbox was found. Published by sync-worker, once per mailbox. */
export const mailboxNew = defineEvent(
  'mailboxNew',
  Type.Object({ ...mailbox, uidValidity: Type.String() }),
)

/** A mailbox no longer exists. Published by sync-worker, once per mailbox. */
export const mailboxDeleted = defineEvent('mailboxDeleted', Type.Object(mailbox))

/**
 * All message ids of a mailbox are invalid. Published by sync-worker. The existing messages are not
 * announced again.
 */
export const mailboxReset = defineEvent(
  'mailboxReset',
  Type.Object({
    ...mailbox,
    uidValidity: Type.String(),
    prevUidValidity: Type.Union([Type.String(), Type.Literal(false)]),
    reason: Type.Union([Type.Literal('uidValidityChange'), Type.Literal('syncStateLost')]),
  }),
)
