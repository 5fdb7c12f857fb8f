import { Type } from 'typebox'
import { AccountId, IsoDate, Nullable, OneOf, Strict } from './primitives.ts'

export const deliveryStates = ['due', 'delivered', 'failed', 'dropped'] as const

const date = Nullable(IsoDate)
const text = Nullable(Type.String())

/** One event on its way to one target. */
export const WebhookDelivery = Type.Object({
  id: Type.String({ description: '`X-SVC-Wh-Id`' }),
  eventId: Type.String(),
  event: Type.String(),
  account: Type.String(),
  target: Type.String({ description: '`default`, `account`, or the id of a route' }),
  address: Type.String({ description: 'The target, without credentials and query' }),
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

/** What failed deliveries are meant: all that are left out mean any. */
export const WebhookReplayFilter = Strict(filter)

/** One state at a time; the default is the failed set, what failed last first. */
export const WebhookDeliveryQuery = Strict({
  ...filter,
  state: Type.Optional(OneOf(deliveryStates)),
  cursor: Type.Optional(Type.String({ maxLength: 128, format: 'delivery-cursor' })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 20 })),
})

/** A wish to repeat failed deliveries, and how far it has come. */
export const WebhookReplay = Type.Object({
  id: Type.String(),
  filter: Type.Record(Type.String(), Type.String()),
  state: OneOf(['queued', 'running', 'done'] as const),
  total: Nullable(Type.Integer({ description: 'What it found when it began' })),
  replayed: Type.Integer(),
  createdAt: IsoDate,
  startedAt: date,
  finishedAt: date,
})
