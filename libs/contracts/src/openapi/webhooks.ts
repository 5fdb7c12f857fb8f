import { type TSchema, Type } from 'typebox'
import { type EventName, eventNames, events } from '../events/index.ts'
import { described, Nullable, Text, Texts, Time } from '../schemas/primitives.ts'
import { toOpenApiSchema } from './components.ts'
import { eventTexts } from './event-texts.ts'
import { eventBodies } from './examples/event-bodies.ts'

/**
 * HTTP headers of all webhook deliveries, in addition to `Content-Type`, `User-Agent` and the
 * configured headers.
 */
const headers: Readonly<Record<string, string>> = {
  'X-SVC-Wh-Id': 'Id of the webhook delivery, identical in all attempts of the delivery.',
  'X-SVC-Wh-Attempts-Made':
    'Number of earlier attempts of the webhook delivery: 0 in the first attempt.',
  'X-SVC-Wh-Queued-Time':
    'Time since the webhook delivery was queued, in whole seconds with the suffix `s`, such as `12s`.',
  'X-SVC-Wh-Event-Id':
    'Id of the event, identical in all attempts and for all webhook targets. Use the event id to detect duplicates.',
  'X-SVC-Wh-Custom-Route':
    'Id of the webhook route that sends the event. Absent for the default target and the target of the account.',
  'X-SVC-Wh-Signature':
    'Signature of the webhook: HMAC-SHA256 of the bytes of the body with the setting `serviceSecret` as key, in base64url.',
  'webhook-id':
    'Id of the event, in the header that the specification Standard Webhooks 1.0 requires. Same value as `X-SVC-Wh-Event-Id`.',
  'webhook-timestamp':
    'Time at which the webhook delivery was queued, in seconds since 1970. In attempts more than 2 minutes later, the time of the attempt. Part of the text that `webhook-signature` signs.',
  'webhook-signature':
    'Signatures of the webhook by the specification Standard Webhooks 1.0, separated by spaces. After a change of the setting `serviceSecret`, there are also signatures by the previous secret, for `serviceSecretOverlap` seconds. A target with a secret in `webhookSecrets` gets one signature. Each signature covers `webhook-id`, `webhook-timestamp` and the body.',
}
const always = new Set(Object.keys(headers).filter((name) => name !== 'X-SVC-Wh-Custom-Route'))

/** Descriptions of the webhook requests in the OpenAPI document, by event name. */
export function describeWebhooks(): Record<string, object> {
  return Object.fromEntries(eventNames.map((name) => [name, { post: describe(name) }]))
}

function describe(name: EventName): object {
  return {
    operationId: name,
    tags: ['Webhooks'],
    ...eventTexts[name],
    security: [],
    parameters: Object.entries(headers).map(([header, description]) => ({
      name: header,
      in: 'header',
      required: always.has(header),
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: toOpenApiSchema(webhookBody(name)),
          example: eventBodies[name],
        },
      },
    },
    responses: {
      '2XX': {
        description:
          'The receiver has accepted the event. After any other status the delivery is retried, except after a redirect (3xx), which fails permanently.',
      },
    },
  }
}

/** Schema of the body of the webhook of an event. */
export function webhookBody(name: EventName): TSchema {
  return Type.Object({
    serviceUrl: Nullable(
      Text(
        'Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is unset.',
      ),
    ),
    account: Text('Id of the account to which the event belongs.'),
    date: Time('Time at which the event was recorded (ISO 8601).'),
    path: Type.Optional(
      Text(
        'Path of the mailbox to which the event belongs. Absent for events that belong to no mailbox.',
      ),
    ),
    specialUse: Type.Optional(
      Text(
        'Special use of the mailbox, such as `\\Sent` (RFC 6154). Absent if the mailbox has no special use.',
      ),
    ),
    event: Type.Literal(name, { description: 'Name of the event.' }),
    data: described(
      'Data of the event. The members of `data` depend on the event.',
      withTruncated(events[name].data),
    ),
  })
}

/**
 * Adds the member `truncated` to the schema of an event's data, because `recordEvents` may shorten
 * the data.
 */
function withTruncated(data: TSchema): TSchema {
  const truncated = Type.Optional(
    Texts(
      'Names of the members of `data` that were shortened or left out because `data` was too large. Absent if `data` is complete. Only events about messages can have large members. `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the `content` of at least one calendar event is missing.',
    ),
  )
  return Type.IsObject(data)
    ? Type.Object({ ...data.properties, truncated })
    : Type.Intersect([data, Type.Object({ truncated })])
}
