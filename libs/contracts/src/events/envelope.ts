import { type Static, Type } from 'typebox'

/** Body of a webhook. Members that do not apply to an event are absent. */
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
 * Event message on the exchange `events`, routing key `<event>.<shard>` (a shard is a group of
 * accounts). `body` contains the exact bytes of the webhook body. If the body is larger than 128
 * KiB, `body` is absent and the consumer reads it from Postgres by `eventId` (claim check).
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
