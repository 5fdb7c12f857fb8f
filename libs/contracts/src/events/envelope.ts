import { type Static, Type } from 'typebox'

/** The webhook body: what receivers parse. Members that do not apply are absent. */
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
 * An event on the `events` exchange, routing key `<event>.<shard>`.
 *
 * `body` is the webhook body to the byte. Above 128 KiB it stays in Postgres and is absent here: redeem it by `eventId`.
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
