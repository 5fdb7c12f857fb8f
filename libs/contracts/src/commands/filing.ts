import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

// Asked by sender of the sync-worker that holds the account's shard: exchange `commands`, key `shard.<n>`.

/**
 * Does in the mailbox what follows from a message having been sent: its copy goes into Sent, the message it answers gets its flag, the
 * draft it was is removed. May be asked again after a crash: what is done already is found done (the copy by its Message-ID).
 */
export const fileSent = defineCommand({
  name: 'fileSent',
  request: Strict({
    account: Type.String(),
    /** The row of the outbox whose bytes are the copy. */
    queueId: Type.String(),
    messageId: Type.String(),
    copy: Type.Boolean(),
    /** Where the copy goes; absent: the account's Sent folder. */
    sentMailPath: Type.Optional(Type.String()),
    reference: Type.Optional(
      Strict({ message: Type.String(), action: OneOf(['reply', 'reply-all', 'forward']) }),
    ),
    draft: Type.Optional(Type.String()),
  }),
  response: Type.Object({
    /** Where the copy is; absent where none was wanted. */
    path: Type.Optional(Type.String()),
    /** What could not be done, and never can, such as a flag on a message that is gone. */
    skipped: Type.Array(Type.String()),
  }),
})

/** Whether a message is in the account's Sent folder, where some servers file what they have sent. */
export const findSent = defineCommand({
  name: 'findSent',
  request: Strict({
    account: Type.String(),
    messageId: Type.String(),
    sentMailPath: Type.Optional(Type.String()),
  }),
  response: Type.Object({ found: Type.Boolean() }),
})
