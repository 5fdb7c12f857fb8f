import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

// Commands by which sender has sent messages filed in the mailboxes of the account. Served by the
// sync-worker that holds the account's shard (group of accounts): exchange `commands`, routing key
// `shard.<n>`.

/**
 * Files a sent message: stores a copy in the Sent mailbox, flags the message that was replied to or
 * forwarded, removes the draft. Idempotent: each step detects whether it is already done. An
 * existing copy is found by its Message-ID.
 */
export const fileSent = defineCommand({
  name: 'fileSent',
  request: Strict({
    account: Type.String(),
    /** Id of the outbox row with the bytes of the message for the Sent mailbox. */
    queueId: Type.String(),
    messageId: Type.String(),
    copy: Type.Boolean(),
    /**
     * Path of the mailbox for the copy of the sent message. Defaults to the Sent mailbox of the
     * account.
     */
    sentMailPath: Type.Optional(Type.String()),
    reference: Type.Optional(
      Strict({ message: Type.String(), action: OneOf(['reply', 'reply-all', 'forward']) }),
    ),
    draft: Type.Optional(Type.String()),
  }),
  response: Type.Object({
    /**
     * Path of the mailbox that contains the copy of the sent message. Absent if no copy was
     * requested.
     */
    path: Type.Optional(Type.String()),
    /**
     * Names of the steps of filing a sent message (copy, flag, draft) that failed permanently, for
     * example because the message to flag was deleted.
     */
    skipped: Type.Array(Type.String()),
  }),
})

/**
 * Searches the Sent mailbox for a sent message, because some mail servers store sent messages
 * themselves.
 */
export const findSent = defineCommand({
  name: 'findSent',
  request: Strict({
    account: Type.String(),
    messageId: Type.String(),
    sentMailPath: Type.Optional(Type.String()),
  }),
  response: Type.Object({ found: Type.Boolean() }),
})
