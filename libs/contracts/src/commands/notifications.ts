import { type Static, Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

/** Maximum notifications per command. */
export const maxNotifications = 100

/** SHA-256 as base64url without padding. */
const secretHash = Type.String({ pattern: '^[\\w-]{43}$' })

/** Maximum messages that a notification names. */
export const maxNotifiedMessages = 10

/** Ids of messages that providers send. */
export const notifiedId = /^[\x21-\x7e]{1,200}$/

/** Message that a notification names. */
export const NotifiedMessage = Strict({
  id: Type.String({ pattern: notifiedId.source }),
  isDeleted: Type.Optional(Type.Boolean()),
})
export type NotifiedMessage = Static<typeof NotifiedMessage>

/**
 * Notification of a provider about one account. Feeds decide what changed: messages only tell which
 * feeds to read first.
 *
 * - `changed`: read the feeds.
 * - `missed`: notifications were lost, so compare all messages.
 * - `expiring`: the provider asks to renew the watch.
 * - `removed`: the provider has ended the watch.
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
   * True for a notification of the service itself, which does not show that the provider notifies.
   */
  isOwn: Type.Optional(Type.Boolean()),
  /** End of the watch that is to be renewed, as the provider states it. With `expiring` only. */
  expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
  /**
   * Messages that the notification names, with `changed`. Absent if the notification names no
   * message, or too many.
   */
  messages: Type.Optional(Type.Array(NotifiedMessage, { maxItems: maxNotifiedMessages })),
})
export type ProviderNotification = Static<typeof ProviderNotification>

/**
 * Forwards notifications of providers to the workers that hold the shards of their accounts. Such
 * notifications only speed up a poll: without a holder they are dropped. Workers ignore accounts of
 * other workers.
 */
export const changesNoticed = defineCommand({
  name: 'changesNoticed',
  oneWay: true,
  request: Strict({
    notices: Type.Array(ProviderNotification, { minItems: 1, maxItems: maxNotifications }),
  }),
  response: Type.Object({}),
})
