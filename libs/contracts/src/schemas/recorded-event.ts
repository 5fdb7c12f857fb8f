import { type Static, Type } from 'typebox'
import { AccountId, described, Int, Nullable, OneOf, Strict, Text, Time } from './primitives.ts'

/** States of the webhook deliveries of one event, taken together. */
export const eventDeliveryStates = ['none', 'due', 'delivered', 'failed', 'dropped'] as const

const eventHead = {
  id: Text('Id of the event, sent in the header `X-SVC-Wh-Event-Id` of its webhooks.'),
  date: Time('Time at which the event was recorded (ISO 8601).'),
  event: Text('Name of the event, such as `messageNew`.'),
  account: Text('Id of the account of the event.'),
  path: Nullable(
    Text('Path of the mailbox of the event. Null if the event belongs to no mailbox.'),
  ),
}

/** Event without its webhook body, as the stream `GET /admin/api/events/stream` sends it. */
export const EventHead = Type.Object(eventHead)
export type EventHead = Static<typeof EventHead>

/** Event in a list: head of the event with the state of its webhook deliveries. */
export const RecordedEvent = Type.Object({
  ...eventHead,
  deliveryState: OneOf(eventDeliveryStates, {
    description:
      'State of the webhook deliveries of the event. `failed`: a delivery failed and was not replayed; otherwise `due`: a delivery or replay waits for an attempt; otherwise `delivered`: a target accepted the event; otherwise `dropped`; `none`: the event has no delivery.',
  }),
})
export type RecordedEvent = Static<typeof RecordedEvent>

const name = (description: string) =>
  Type.Optional(Text(description, { minLength: 1, maxLength: 256 }))
const account = Type.Optional(described('Id of the account whose events are selected.', AccountId))

/** Query for retained events. Absent members match any event. */
export const EventQuery = Strict({
  account,
  event: name('Name of the selected events, such as `messageNew`.'),
  since: Type.Optional(Time('Earliest time of the selected events (ISO 8601), inclusive.')),
  until: Type.Optional(Time('Latest time of the selected events (ISO 8601), exclusive.')),
  cursor: Type.Optional(
    Text('Value of `nextCursor` of the previous page. Absent: the first page is returned.', {
      maxLength: 64,
      format: 'event-cursor',
    }),
  ),
  pageSize: Type.Optional(
    Int('Maximum number of events per page. Defaults to 20.', {
      minimum: 1,
      maximum: 1000,
      default: 20,
    }),
  ),
})

/** Id of a frame in the stream of events at `GET /admin/api/events/stream`. */
const EventStreamId = Text(
  'Id of the last frame of the stream that the client received. The stream continues after this frame. If absent, the stream starts with the next event.',
  { maxLength: 20, format: 'event-stream-id' },
)

/**
 * Query of `GET /admin/api/events/stream`, the stream of events. Absent filters match any event.
 */
export const EventStreamQuery = Strict({
  account,
  event: name('Name of the events that the stream sends, such as `messageNew`.'),
  lastEventId: Type.Optional(EventStreamId),
})

export const EventStreamHeaders = Type.Object({ 'last-event-id': Type.Optional(EventStreamId) })

/** Event with its webhook body, if the request asks for the body. */
export const EventDetails = Type.Object({
  ...RecordedEvent.properties,
  payload: Type.Optional(
    Type.Unknown({
      description:
        'Webhook body of the event, which is sent to targets without a map function. Absent unless the parameter `payload` is true. Null for a body above 64 MiB.',
    }),
  ),
})
