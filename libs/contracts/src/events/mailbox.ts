import { Type } from 'typebox'
import { defineEvent } from '../define.ts'

const mailbox = {
  path: Type.String(),
  name: Type.String(),
  specialUse: Type.Union([Type.String(), Type.Literal(false)]),
}

/** A folder was found. Published by sync-worker, once a folder. */
export const mailboxNew = defineEvent(
  'mailboxNew',
  Type.Object({ ...mailbox, uidValidity: Type.String() }),
)

/** A folder is no longer there. Published by sync-worker, once a folder. */
export const mailboxDeleted = defineEvent('mailboxDeleted', Type.Object(mailbox))

/** All message ids of a folder are void. Published by sync-worker; no messageNew follows for what was there. */
export const mailboxReset = defineEvent(
  'mailboxReset',
  Type.Object({
    ...mailbox,
    uidValidity: Type.String(),
    prevUidValidity: Type.Union([Type.String(), Type.Literal(false)]),
    reason: Type.Union([Type.Literal('uidValidityChange'), Type.Literal('syncStateLost')]),
  }),
)
