import { type Static, Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

/** Maximum provider notifications in one command. */
export const maxNotifications = 100

/** Pattern of a SHA-256 hash as base64url without padding. */
const secretHash = Type.String({ pattern: '^[\\w-]{43}$' })

/** Maximum messages that one provider notification names. */
export const maxNotifiedMessages = 10

/** Pattern of the message ids that providers send in notifications. */
export const notifiedId = /^[\x21-\x7e]{1,200}$/

/** Message that a provider notification names. */
export const NotifiedMessage = Strict({
  id: Type.String({ pattern: notifiedId.source }),
  isDeleted: Type.Optional(Type.Boolean()),
})
export type NotifiedMessage = Static<typeof NotifiedMessage>

/**
 * Change notification of a mail provider about one account. The change lists (feeds) of the
 * provider decide what changed: named messages only tell which feeds to read first.
 *
 * - `changed`: read the feeds.
 * - `missed`: notifications were lost, so compare all messages.
 * - `expiring`: the provider asks to renew the watch of the account.
 * - `removed`: the provider has ended the watch of the account.
 */
export const ProviderNotification = Strict({
  account: Type.String({ minLength: 1, maxLength: 256 }),
  kind: Type.Union([
    Type.Literal('changed'),
    Type.Literal('missed'),
    Type.Literal('expiring'),
    Type.Literal('removed'),
  ]),
  /**
   * Hash of the secret in the notification (`clientState` of Graph), which the holder compares with
   * the hash of the watch's secret. Absent if the sender has authenticated the provider (Pub/Sub).
   */
  secretHash: Type.Optional(secretHash),
  /**
   * True for a notification that this installation created itself, which does not show that the
   * provider notifies.
   */
  isOwn: Type.Optional(Type.Boolean()),
  /**
   * End of the watch that is to be renewed, as the mail provider states the time. With `expiring`
   * only.
   */
  expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
  /**
   * Messages that the notification names, with `changed`. Absent if the notification names no
   * message, or more than `maxNotifiedMessages`.
   */
  messages: Type.Optional(Type.Array(NotifiedMessage, { maxItems: maxNotifiedMessages })),
})
export type ProviderNotification = Static<typeof ProviderNotification>

/**
 * Forwards change notifications of mail providers to the sync-workers that hold the shards of their
 * accounts. Such notifications only speed up a poll: without a holder they are dropped.
 * Sync-workers ignore the accounts of other sync-workers.
 */
export const changesNoticed = defineCommand({
  name: 'changesNoticed',
  oneWay: true,
  request: Strict({
    notices: Type.Array(ProviderNotification, { minItems: 1, maxItems: maxNotifications }),
  }),
  response: Type.Object({}),
})
