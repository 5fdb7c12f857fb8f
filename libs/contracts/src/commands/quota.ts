import { Type } from 'typebox'
import { providers } from '../account-types/index.ts'
import { defineCommand } from '../define.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

// Command sent by sender, served by the sync-worker that holds the account's shard: exchange
// `commands`, key `shard.<n>`. The account needs no session.

/** Maximum time in milliseconds from the request for a loan until the reply is of no use. */
export const loanReplyMs = 100
/**
 * Time in milliseconds within which lent units must be used, from the time at which the loan
 * permits their use. Later the units are lost.
 */
export const loanValidMs = 500

/**
 * Lends quota units of a mailbox at a mail provider to a sender. Units count as used when they are
 * lent, also if the reply is lost.
 */
export const lendUnits = defineCommand({
  name: 'lendUnits',
  atMostOnce: true,
  request: Strict({
    account: Type.String({ minLength: 1, maxLength: 256 }),
    provider: OneOf(providers),
    /** Id of the OAuth2 application, whose units the mailbox uses. */
    application: Type.String({ maxLength: 256 }),
    /** Units of one request to the provider. 0 only reports a pause. */
    units: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    /**
     * Time until which the provider refuses requests for the mailbox, in milliseconds since 1970.
     * Present if the provider refused a request of the sender.
     */
    pausedUntil: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  response: Type.Object({
    /** Lent units: all or none of the requested units. */
    granted: Type.Integer({ minimum: 0 }),
    /**
     * Time in milliseconds, from the reply, after which the lent units may be used. Without a loan:
     * time after which a loan may be granted.
     */
    delayMs: Type.Number({ minimum: 0 }),
    /**
     * Time until which the provider refuses requests for the mailbox, in milliseconds since 1970.
     * Absent if the mailbox is not paused.
     */
    pausedUntil: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
})
