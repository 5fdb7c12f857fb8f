import { Type } from 'typebox'
import { AccountId, IsoDate, Nullable, OneOf, Strict } from './primitives.ts'

export const deliveryStates = ['due', 'delivered', 'failed', 'dropped'] as const

const date = Nullable(IsoDate)
const text = Nullable(Type.String())

/** Delivery of one event to one target. */
export const WebhookDelivery = Type.Object({
  id: Type.String({ description: 'Delivery id, sent as `X-SVC-Wh-Id`.' }),
  eventId: Type.String(),
  event: Type.String(),
  account: Type.String(),
  target: Type.String({
    description: 'Kind of target: `default`, `account`, or the id of a route.',
  }),
  address: Type.String({ description: 'URL of the target without credentials and query.' }),
  state: OneOf(deliveryStates),
  attempts: Type.Integer(),
  queuedAt: IsoDate,
  nextAttemptAt: date,
  finishedAt: date,
  lastOutcome: text,
  lastStatus: Nullable(Type.Integer()),
  lastError: text,
  lastResponse: text,
  replayOf: text,
  replayedAt: date,
})

export const WebhookAttempt = Type.Object({
  attempt: Type.Integer(),
  endedAt: IsoDate,
  durationMs: Type.Integer(),
  outcome: Type.String(),
  status: Nullable(Type.Integer()),
  error: text,
  response: text,
})

const short = Type.String({ minLength: 1, maxLength: 256 })
const filter = {
  target: Type.Optional(short),
  address: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
  event: Type.Optional(short),
  account: Type.Optional(AccountId),
  outcome: Type.Optional(short),
  since: Type.Optional(IsoDate),
  until: Type.Optional(IsoDate),
}

/** Filter of failed deliveries. Absent members match any value. */
export const WebhookReplayFilter = Strict(filter)

/** Query of one state. Default: failed deliveries, the latest first. */
export const WebhookDeliveryQuery = Strict({
  ...filter,
  state: Type.Optional(OneOf(deliveryStates)),
  cursor: Type.Optional(Type.String({ maxLength: 128, format: 'delivery-cursor' })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 20 })),
})

/** Replay of failed deliveries, with its progress. */
export const WebhookReplay = Type.Object({
  id: Type.String(),
  filter: Type.Record(Type.String(), Type.String()),
  state: OneOf(['queued', 'running', 'done'] as const),
  total: Nullable(Type.Integer({ description: 'Number of deliveries that matched at the start.' })),
  replayed: Type.Integer(),
  createdAt: IsoDate,
  startedAt: date,
  finishedAt: date,
})
