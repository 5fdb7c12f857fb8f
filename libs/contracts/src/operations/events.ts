import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Bool, Nullable, Strict, Text } from '../schemas/primitives.ts'
import {
  EventDetails,
  EventQuery,
  EventStreamHeaders,
  EventStreamQuery,
  RecordedEvent,
} from '../schemas/recorded-event.ts'

const { read } = operationKinds('Webhooks', 'admin', '*')

export const listEvents = defineOperation({
  ...read,
  id: 'listEvents',
  method: 'get',
  path: '/admin/api/events',
  summary: 'List recorded events',
  description:
    'Lists the events of all accounts, latest first, without their webhook bodies. Events are listed whether webhooks are enabled or not. Events are stored for `SVC_EVENTS_KEEP_DAYS` (default 7 days), and longer while they have a delivery that is due or failed.',
  query: EventQuery,
  responseDescription: 'One page of the events, latest first, with the cursor of the next page.',
  response: Type.Object({
    events: Type.Array(RecordedEvent, { description: 'Events of this page, latest first.' }),
    nextCursor: Nullable(
      Text('Cursor of the next page, for the parameter `cursor`. Null on the last page.'),
    ),
  }),
})

// The operation `followEvents` precedes `getEvent`, whose path would match the path of
// `followEvents`, too.
export const followEvents = defineOperation({
  ...read,
  id: 'followEvents',
  method: 'get',
  path: '/admin/api/events/stream',
  summary: 'Follow recorded events',
  description:
    'Streams new events as server-sent events, without their webhook bodies. Each event is sent exactly once, in the same order on all replicas. Frames of `event: message` carry an event as JSON: `{"id": "…", "date": "…", "event": "messageNew", "account": "…", "path": "INBOX"}`. The id of a frame is a number: it is the position in the stream, not the id of the event. To continue after a disconnect, send the id of the last frame in the header `Last-Event-ID` or in the parameter `lastEventId`: the header takes precedence. If events after this id were deleted, the first frame is `event: historyLost` with `{"lastEventId": "…"}`, followed by the stored events. Comments keep an idle connection open.',
  query: EventStreamQuery,
  headers: EventStreamHeaders,
  responseDescription: 'Stream of server-sent events, which stays open.',
  response: Type.String(),
  produces: 'text/event-stream',
})

export const getEvent = defineOperation({
  ...read,
  id: 'getEvent',
  method: 'get',
  path: '/admin/api/events/:event',
  summary: 'Read a recorded event',
  description:
    'Reads an event with the state of its webhook deliveries. With `payload=true`, the response contains the webhook body of the event. People at the administration pages need the active right to read mail for this body.',
  params: Strict({ event: Text('Id of the event.', { format: 'uuid' }) }),
  query: Strict({
    payload: Type.Optional(
      Bool('True to read the webhook body of the event, too. Defaults to false.', {
        default: false,
      }),
    ),
  }),
  responseDescription: 'The event, with its webhook body if the request asks for the body.',
  response: EventDetails,
  errors: ['NotFound'],
})
