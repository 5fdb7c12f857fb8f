import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

// Commands sent by sender, served by the sync-worker that holds the account's shard: exchange
// `commands`, key `shard.<n>`.

/**
 * Files a sent message: stores the Sent copy, flags the referenced message, removes the draft.
 * Idempotent: completed steps are detected, the copy by its Message-ID.
 */
export const fileSent = defineCommand({
  name: 'fileSent',
  request: Strict({
    account: Type.String(),
    /** Id of the outbox row that holds the bytes of the Sent copy. */
    queueId: Type.String(),
    messageId: Type.String(),
    copy: Type.Boolean(),
    /** Mailbox that gets the copy of the sent message. Default: the Sent mailbox of the account. */
    sentMailPath: Type.Optional(Type.String()),
    reference: Type.Optional(
      Strict({ message: Type.String(), action: OneOf(['reply', 'reply-all', 'forward']) }),
    ),
    draft: Type.Optional(Type.String()),
  }),
  response: Type.Object({
    /** Mailbox that contains the copy of the sent message. Absent if no copy was requested. */
    path: Type.Optional(Type.String()),
    /** Steps of the filing that failed permanently, such as flagging a deleted message. */
    skipped: Type.Array(Type.String()),
  }),
})

/** Searches the Sent mailbox for a message, because some servers store sent messages there. */
export const findSent = defineCommand({
  name: 'findSent',
  request: Strict({
    account: Type.String(),
    messageId: Type.String(),
    sentMailPath: Type.Optional(Type.String()),
  }),
  response: Type.Object({ found: Type.Boolean() }),
})
