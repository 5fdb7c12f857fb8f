import { type Static, Type } from 'typebox'
import { AccountId, described, Int, Nullable, OneOf, Strict, Text, Time } from './primitives.ts'

export const deliveryStates = ['due', 'delivered', 'failed', 'dropped'] as const

const time = (description: string) => Nullable(Time(description))
const text = (description: string) => Nullable(Text(description))

/** Webhook delivery: one event on its way to one target. */
export const WebhookDelivery = Type.Object({
  id: Text('Delivery id, sent as `X-SVC-Wh-Id`.'),
  eventId: Text('Event id, sent as `X-SVC-Wh-Event-Id`.'),
  event: Text('Event name.'),
  account: Text('Account of the event.'),
  target: Text('Kind of target: `default`, `account`, or the id of a route.'),
  address: Text('URL of the target without credentials and query.'),
  state: OneOf(deliveryStates, { description: 'State of the delivery.' }),
  attempts: Int('Number of attempts so far.'),
  queuedAt: Time('Time the delivery was created (ISO 8601).'),
  nextAttemptAt: time('Time of the next attempt (ISO 8601). Null if there is none.'),
  finishedAt: time('Time of the final state (ISO 8601). Null before.'),
  lastOutcome: text('Outcome of the last attempt, such as `2xx`, `http-5xx` or `dns`.'),
  lastStatus: Nullable(Int('HTTP status of the last attempt. Null without a response.')),
  lastError: text('Error of the last attempt.'),
  lastResponse: text('Start of the last response body.'),
  replayOf: text('Id of the failed delivery that this one replays.'),
  replayedAt: time('Time a replay of this delivery was created (ISO 8601).'),
})

export const WebhookAttempt = Type.Object({
  attempt: Int('Number of the attempt, starting at 1.'),
  endedAt: Time('End of the attempt (ISO 8601).'),
  durationMs: Int('Duration of the attempt in milliseconds.'),
  outcome: Text('Outcome, such as `2xx`, `http-5xx` or `dns`.'),
  status: Nullable(Int('HTTP status. Null without a response.')),
  error: text('Text of the error.'),
  response: text('Start of the response body.'),
})

const short = (description: string) =>
  Type.Optional(Text(description, { minLength: 1, maxLength: 256 }))
const filter = {
  target: short('Kind of target: `default`, `account`, or the id of a route.'),
  address: Type.Optional(
    Text('URL of the target without credentials and query.', { minLength: 1, maxLength: 1000 }),
  ),
  event: short('Event name.'),
  account: Type.Optional(described('Account of the event.', AccountId)),
  outcome: short('Outcome of the last attempt.'),
  since: Type.Optional(Time('Start of the time range of the final state (ISO 8601).')),
  until: Type.Optional(Time('End of the time range of the final state (ISO 8601).')),
}

/** Filter for failed webhook deliveries. Absent members match any delivery. */
export const WebhookReplayFilter = Strict(filter)
export type WebhookReplayFilter = Static<typeof WebhookReplayFilter>

/** Query for webhook deliveries in one state. Defaults to failed deliveries, the latest first. */
export const WebhookDeliveryQuery = Strict({
  ...filter,
  state: Type.Optional(
    OneOf(deliveryStates, { description: 'State of the deliveries. Defaults to `failed`.' }),
  ),
  cursor: Type.Optional(
    Text('Value of `nextCursor` of the previous page.', {
      maxLength: 128,
      format: 'delivery-cursor',
    }),
  ),
  pageSize: Type.Optional(Int('Entries per page.', { minimum: 1, maximum: 1000, default: 20 })),
})

/** Replay of failed webhook deliveries, including its progress. */
export const WebhookReplay = Type.Object({
  id: Text('Replay id.'),
  filter: Type.Record(Type.String(), Type.String(), {
    description: 'Filter of the replayed deliveries.',
  }),
  state: OneOf(['queued', 'running', 'done'] as const, { description: 'State of the replay.' }),
  total: Nullable(Int('Number of deliveries that matched at the start.')),
  replayed: Int('Number of replayed deliveries so far.'),
  createdAt: Time('Time the replay was requested (ISO 8601).'),
  startedAt: time('Time the replay started (ISO 8601). Null before.'),
  finishedAt: time('Time the replay finished (ISO 8601). Null before.'),
})
