import { type Static, Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

/** Maximum number of provider notifications in one command to a sync-worker. */
export const maxNotifications = 100

/** Pattern of a SHA-256 hash as base64url without padding. */
const secretHash = Type.String({ pattern: '^[\\w-]{43}$' })

/** Maximum number of messages that one provider notification names. */
export const maxNotifiedMessages = 10

/** Pattern of the message ids in change notifications of mail providers. */
export const notifiedId = /^[\x21-\x7e]{1,200}$/

/** Message that a change notification of a mail provider names. */
export const NotifiedMessage = Strict({
  id: Type.String({ pattern: notifiedId.source }),
  isDeleted: Type.Optional(Type.Boolean()),
})
export type NotifiedMessage = Static<typeof NotifiedMessage>

/**
 * Change notification of a mail provider about one account. The messages in a notification only
 * show which change lists (feeds) of the provider to read first. The feeds decide what has changed.
 *
 * - `changed`: read the feeds.
 * - `missed`: notifications were lost, so compare all messages.
 * - `expiring`: the provider asks to renew the account's watch (registration for notifications).
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
   * Hash of the secret in a change notification (`clientState` of Graph). The sync-worker that
   * holds the account compares it with the hash of the secret that Posthorn gave to the provider.
   * Absent if the transport has authenticated the provider (Pub/Sub).
   */
  secretHash: Type.Optional(secretHash),
  /**
   * True if this installation created the notification itself. Such a notification does not prove
   * that the provider's notifications arrive.
   */
  isOwn: Type.Optional(Type.Boolean()),
  /**
   * Time at which the account's registration for notifications (watch) ends, as the provider states
   * it. Only present in a notification of the kind `expiring`.
   */
  expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
  /**
   * Messages that the change notification of a provider names. Only present in a notification of
   * the kind `changed`. Absent if the notification names no message, or more than
   * `maxNotifiedMessages` messages.
   */
  messages: Type.Optional(Type.Array(NotifiedMessage, { maxItems: maxNotifiedMessages })),
})
export type ProviderNotification = Static<typeof ProviderNotification>

/**
 * Forwards change notifications of mail providers to the sync-workers that hold the shards (groups)
 * of the accounts. A sync-worker ignores accounts that it does not hold. A notification is dropped
 * if no sync-worker holds the account, because notifications only make the next poll earlier.
 */
export const changesNoticed = defineCommand({
  name: 'changesNoticed',
  oneWay: true,
  request: Strict({
    notices: Type.Array(ProviderNotification, { minItems: 1, maxItems: maxNotifications }),
  }),
  response: Type.Object({}),
})
