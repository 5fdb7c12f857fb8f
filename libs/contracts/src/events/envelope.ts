import { type Static, Type } from 'typebox'

/** Body of a webhook. Members that do not apply are absent. */
export interface Envelope {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: string
  data: unknown
}

/**
 * Event on the exchange `events`, routing key `<event>.<shard>`.
 *
 * `body` holds the exact bytes of the webhook body. Above 128 KiB it is absent, and the consumer
 * reads it from Postgres by `eventId` (claim check).
 */
export const EventMessageSchema = Type.Object({
  eventId: Type.String(),
  event: Type.String(),
  account: Type.String(),
  shard: Type.Integer({ minimum: 0, maximum: 255 }),
  date: Type.String(),
  body: Type.Optional(Type.String()),
})
export type EventMessage = Static<typeof EventMessageSchema>
