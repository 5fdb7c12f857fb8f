import { type Static, Type } from 'typebox'
import { Bool, Int, Nullable, Strict, Text, Time } from './primitives.ts'

const text = (description: string) => Nullable(Text(description))

/** Last response of a webhook target to a delivery. */
const LastResponse = Type.Object(
  {
    delivery: Text('Id of the webhook delivery whose attempt ended last.'),
    at: Time('Time at which the attempt ended (ISO 8601).'),
    durationMs: Int('Duration of the attempt, in milliseconds.'),
    outcome: text(
      'Outcome of the attempt: class of the HTTP status, such as `2xx` or `http-5xx`, or a network error, such as `dns`.',
    ),
    status: Nullable(
      Int('HTTP status of the response. Null if the webhook target did not respond.'),
    ),
    error: text('Text of the error, at most 500 characters. Null after a success.'),
    response: text(
      'Beginning of the body of the response, at most 2,000 characters. Null if the webhook target did not respond.',
    ),
  },
  {
    description:
      'Result of the attempt that ended last, of all stored webhook deliveries to this address.',
  },
)

/** Address to which webhooks are delivered, with the state of its deliveries. */
export const WebhookTarget = Type.Object({
  address: Text('URL of the webhook target without login and query.'),
  isDefault: Bool('True for the address of the default target, which is the setting `webhooks`.'),
  paused: Bool(
    'True if the setting `webhookTargets` pauses the address. Its deliveries stay due until the end of the pause.',
  ),
  due: Int(
    'Number of webhook deliveries in the state `due`: waiting for an attempt, or in progress. Counting stops at 10,000.',
  ),
  oldestDueAt: Nullable(
    Time(
      'Time from which the oldest waiting webhook delivery has been due (ISO 8601). Null if no webhook delivery waits for a first or further attempt now.',
    ),
  ),
  failed: Int(
    'Number of failed webhook deliveries that are stored and were not replayed. Counting stops at 10,000.',
  ),
  lastHour: Type.Object(
    {
      delivered: Int('Number of these webhook deliveries that the target accepted.'),
      failed: Int('Number of these webhook deliveries that failed permanently.'),
      retried: Int('Number of these webhook deliveries that wait for a further attempt.'),
      p95Ms: Nullable(
        Int(
          'Duration, in milliseconds, that 95 % of the last attempts of these webhook deliveries did not exceed. Null without an attempt.',
        ),
      ),
    },
    {
      description:
        'Numbers of the webhook deliveries whose last attempt ended in the last hour. Covers the latest 10,000 of them.',
    },
  ),
  lastResponse: Nullable(LastResponse),
})
export type WebhookTarget = Static<typeof WebhookTarget>

export const WebhookTargetQuery = Strict({
  address: Type.Optional(
    Text('URL of the only webhook target to list, without login and query.', {
      minLength: 1,
      maxLength: 1000,
    }),
  ),
  cursor: Type.Optional(
    Text('Value of `nextCursor` of the previous page. Absent: the first page is returned.', {
      maxLength: 1000,
      format: 'search-text',
    }),
  ),
  pageSize: Type.Optional(
    Int('Maximum number of webhook targets per page. Defaults to 20.', {
      minimum: 1,
      maximum: 50,
      default: 20,
    }),
  ),
})
