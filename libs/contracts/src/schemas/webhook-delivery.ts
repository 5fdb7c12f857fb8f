import { type Static, Type } from 'typebox'
import { AccountId, described, Int, Nullable, OneOf, Strict, Text, Time } from './primitives.ts'

export const deliveryStates = ['due', 'delivered', 'failed', 'dropped'] as const

const time = (description: string) => Nullable(Time(description))
const text = (description: string) => Nullable(Text(description))

/** Webhook delivery: one event on its way to one target. */
export const WebhookDelivery = Type.Object({
  id: Text('Id of the webhook delivery, sent in the header `X-SVC-Wh-Id`.'),
  eventId: Text('Id of the delivered event, sent in the header `X-SVC-Wh-Event-Id`.'),
  event: Text('Name of the delivered event, such as `messageNew`.'),
  account: Text('Id of the account of the delivered event.'),
  target: Text(
    'Webhook target of the delivery: `default`, `account`, or the id of a webhook route.',
  ),
  address: Text('URL of the webhook target without login and query.'),
  state: OneOf(deliveryStates, {
    description:
      'State of the webhook delivery. `due`: waiting for an attempt, or in progress; `delivered`: accepted by the target; `failed`: all attempts failed; `dropped`: target or event no longer exists.',
  }),
  attempts: Int('Number of attempts to deliver the webhook so far.'),
  queuedAt: Time('Time at which the webhook delivery was created (ISO 8601).'),
  nextAttemptAt: time(
    'Time of the next attempt to deliver the webhook (ISO 8601). Null if no attempt follows.',
  ),
  finishedAt: time(
    'Time at which the webhook delivery reached a final state (ISO 8601). Null in the state `due`.',
  ),
  lastOutcome: text(
    'Outcome of the last attempt to deliver the webhook: class of the HTTP status, such as `2xx` or `http-5xx`, or a network error, such as `dns`. Null before the first attempt.',
  ),
  lastStatus: Nullable(
    Int(
      'HTTP status of the response to the last attempt to deliver the webhook. Null if the webhook target did not respond.',
    ),
  ),
  lastError: text(
    'Text of the error of the last attempt to deliver the webhook, at most 500 characters. Null after a success.',
  ),
  lastResponse: text(
    'Beginning of the body of the response to the last attempt to deliver the webhook, at most 2,000 characters. Null if the webhook target did not respond.',
  ),
  replayOf: text(
    'Id of the failed webhook delivery that this delivery replays. Null if this delivery is not a replay.',
  ),
  replayedAt: time(
    'Time at which a replay of this webhook delivery was created (ISO 8601). Null if the webhook delivery was not replayed.',
  ),
})

export const WebhookAttempt = Type.Object({
  attempt: Int('Number of this attempt to deliver the webhook. The first attempt is 1.'),
  endedAt: Time('Time at which this attempt to deliver the webhook ended (ISO 8601).'),
  durationMs: Int('Duration of this attempt to deliver the webhook, in milliseconds.'),
  outcome: Text(
    'Outcome of this attempt to deliver the webhook: class of the HTTP status, such as `2xx` or `http-5xx`, or a network error, such as `dns`.',
  ),
  status: Nullable(
    Int(
      'HTTP status of the response to this attempt to deliver the webhook. Null if the webhook target did not respond.',
    ),
  ),
  error: text('Text of the error of this attempt to deliver the webhook. Null after a success.'),
  response: text(
    'Beginning of the body of the response to this attempt to deliver the webhook, at most 2,000 characters. Null if the webhook target did not respond.',
  ),
})

const short = (description: string) =>
  Type.Optional(Text(description, { minLength: 1, maxLength: 256 }))
const filter = {
  target: short(
    'Webhook target of the delivery: `default`, `account`, or the id of a webhook route.',
  ),
  address: Type.Optional(
    Text('URL of the webhook target without login and query.', { minLength: 1, maxLength: 1000 }),
  ),
  event: short('Name of the delivered event, such as `messageNew`.'),
  account: Type.Optional(described('Id of the account of the delivered event.', AccountId)),
  outcome: short(
    'Outcome of the last attempt to deliver the webhook, such as `http-5xx` or `dns`. Selects webhook deliveries with this outcome.',
  ),
  since: Type.Optional(
    Time(
      'Earliest time of the final state of the selected webhook deliveries (ISO 8601), inclusive. For the state `due`: earliest time of the next attempt.',
    ),
  ),
  until: Type.Optional(
    Time(
      'Latest time of the final state of the selected webhook deliveries (ISO 8601), exclusive. For the state `due`: latest time of the next attempt.',
    ),
  ),
}

/**
 * Filter that selects failed webhook deliveries for a replay. Absent members match any delivery.
 */
export const WebhookReplayFilter = Strict(filter)
export type WebhookReplayFilter = Static<typeof WebhookReplayFilter>

/** Query for webhook deliveries in one state. Defaults to failed deliveries, the latest first. */
export const WebhookDeliveryQuery = Strict({
  ...filter,
  state: Type.Optional(
    OneOf(deliveryStates, {
      description: 'State of the webhook deliveries to list. Defaults to `failed`.',
    }),
  ),
  cursor: Type.Optional(
    Text('Value of `nextCursor` of the previous page. Absent: the first page is returned.', {
      maxLength: 128,
      format: 'delivery-cursor',
    }),
  ),
  pageSize: Type.Optional(
    Int('Maximum number of webhook deliveries per page. Defaults to 20.', {
      minimum: 1,
      maximum: 1000,
      default: 20,
    }),
  ),
})

/** Replay of failed webhook deliveries, including its progress. */
export const WebhookReplay = Type.Object({
  id: Text('Id of the replay of failed webhook deliveries.'),
  filter: Type.Record(Type.String(), Type.String(), {
    description: 'Filter that selects the failed webhook deliveries to replay.',
  }),
  state: OneOf(['queued', 'running', 'done'] as const, {
    description: 'State of the replay of failed webhook deliveries: `queued`, `running` or `done`.',
  }),
  total: Nullable(
    Int(
      'Number of failed webhook deliveries that matched the filter at the start of the replay. Null before the start of the replay.',
    ),
  ),
  replayed: Int('Number of webhook deliveries that the replay has replayed so far.'),
  createdAt: Time(
    'Time at which the replay of failed webhook deliveries was requested (ISO 8601).',
  ),
  startedAt: time(
    'Time at which the replay of failed webhook deliveries started (ISO 8601). Null before the start of the replay.',
  ),
  finishedAt: time(
    'Time at which the replay of failed webhook deliveries ended (ISO 8601). Null before the end of the replay.',
  ),
})
