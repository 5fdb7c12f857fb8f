import { Type } from 'typebox'
import { providers } from '../account-types/index.ts'
import { defineCommand } from '../define.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

// Command by which a sender borrows quota units of a mail provider from the sync-worker that holds
// the account's shard (group of accounts): exchange `commands`, routing key `shard.<n>`. The
// command also works for an account without a session.

/**
 * Maximum time in milliseconds from a sender's request for quota units of a mail API to the
 * sync-worker's reply. A later reply is useless.
 */
export const loanReplyMs = 100
/**
 * Time in milliseconds within which a sender must use quota units of a mail API lent by a
 * sync-worker. The time begins when the loan permits the use of the units. Unused units are lost.
 */
export const loanValidMs = 500

/**
 * Lends quota units for a mailbox at a mail provider to a sender. Lent units count as used, even if
 * the reply is lost.
 */
export const lendUnits = defineCommand({
  name: 'lendUnits',
  atMostOnce: true,
  request: Strict({
    account: Type.String({ minLength: 1, maxLength: 256 }),
    provider: OneOf(providers),
    /** Id of the OAuth2 application whose quota units at the mail API are used for the mailbox. */
    application: Type.String({ maxLength: 256 }),
    /**
     * Quota units that one request to the mail provider costs. 0 if the sender only reports that
     * the provider refuses requests.
     */
    units: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    /**
     * Time until which the provider refuses requests for the mailbox, in milliseconds since 1970.
     * Present if the provider has refused a request of the sender.
     */
    pausedUntil: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  response: Type.Object({
    /**
     * Number of quota units of a mail API that a sender may use: all units that the sender
     * requested, or 0.
     */
    granted: Type.Integer({ minimum: 0 }),
    /**
     * Delay in milliseconds from the reply until a sender may use the lent quota units of a mail
     * API. If no units are lent, delay until another request for a loan may succeed.
     */
    delayMs: Type.Number({ minimum: 0 }),
    /**
     * Time until which the provider refuses requests for the mailbox, in milliseconds since 1970.
     * Absent if the provider accepts requests.
     */
    pausedUntil: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
})
