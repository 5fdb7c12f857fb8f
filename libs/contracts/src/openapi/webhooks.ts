import { type TSchema, Type } from 'typebox'
import { type EventName, eventNames, events } from '../events/index.ts'
import { described, Nullable, Text, Texts, Time } from '../schemas/primitives.ts'
import { toOpenApiSchema } from './components.ts'

/**
 * Descriptions of the events for the OpenAPI document. See the section "Event list and data fields"
 * of the interface spec.
 */
const triggers: Record<EventName, string> = {
  accountAdded: 'An account was registered',
  accountDeleted: 'An account was deleted',
  accountInitialized: 'The first sync of all mailboxes finished',
  authenticationError: 'The server rejected the credentials',
  authenticationSuccess: 'The first login succeeded, or a login after an authenticationError',
  connectError:
    'The server is unreachable, or the login failed for a reason other than the credentials',
  mailboxNew: 'A mailbox was found',
  mailboxDeleted: 'A mailbox no longer exists',
  mailboxReset: 'All message ids of a mailbox became invalid',
  messageNew: 'A message was found in a mailbox that did not contain it before',
  messageDeleted: 'A message is no longer in its mailbox',
  messageUpdated: 'Flags or labels of a message changed',
  messageMissing: 'A message announced by the server could not be fetched',
  messageBounce: 'A delivery report names a failed or delayed recipient',
  messageComplaint: 'An abuse report for a message arrived',
  messageSent: 'The outgoing server accepted a queued message',
  messageDeliveryError: 'An attempt to send a message failed',
  messageFailed: 'Sending a message failed permanently',
  trackOpen: 'The tracking pixel of a message was requested',
  trackClick: 'A rewritten link was followed',
  listUnsubscribe: 'A recipient unsubscribed from a list',
  listSubscribe: 'A recipient subscribed to a list again',
}

/**
 * HTTP headers of all webhook deliveries, in addition to `Content-Type`, `User-Agent` and the
 * configured headers.
 */
const headers: Readonly<Record<string, string>> = {
  'X-SVC-Wh-Id': 'Delivery id.',
  'X-SVC-Wh-Attempts-Made': 'Number of earlier attempts.',
  'X-SVC-Wh-Queued-Time': 'Whole seconds since the event was queued, with the suffix `s`.',
  'X-SVC-Wh-Event-Id':
    'Event id, identical on all attempts and for all targets. Use it to detect duplicates.',
  'X-SVC-Wh-Custom-Route': 'Id of the webhook route. Absent for other targets.',
  'X-SVC-Wh-Signature': 'HMAC-SHA256 of the body with the service secret, base64url.',
  'webhook-id': 'Event id (Standard Webhooks 1.0).',
  'webhook-timestamp': 'Time of the attempt in seconds since 1970 (Standard Webhooks 1.0).',
  'webhook-signature': 'Signatures, separated by spaces (Standard Webhooks 1.0).',
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
    summary: triggers[name],
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
      content: { 'application/json': { schema: toOpenApiSchema(bodyOf(name, events[name].data)) } },
    },
    responses: {
      '2XX': {
        description: 'The delivery succeeded. Any other status is retried, except a redirect.',
      },
    },
  }
}

function bodyOf(name: EventName, data: TSchema): TSchema {
  return Type.Object({
    serviceUrl: Nullable(Text('Value of the setting `serviceUrl`. Null if it is unset.')),
    account: Text('Account id.'),
    date: Time('Time the event was recorded (ISO 8601).'),
    path: Type.Optional(Text('Path of the mailbox. Absent for events of the account.')),
    specialUse: Type.Optional(Text('Special use of the mailbox. Absent if it has none.')),
    event: Type.Literal(name, { description: 'Event name.' }),
    data: described('Data of the event.', withTruncated(data)),
  })
}

/**
 * Adds the member `truncated` to the schema of an event's data, because `recordEvents` may shorten
 * the data.
 */
function withTruncated(data: TSchema): TSchema {
  const truncated = Type.Optional(
    Texts(
      'Names of members that were cut or left out, because the data exceeded 1 MiB without the texts and the contents of attachments, or a calendar part exceeded its limits. `calendarEvents` is also named if no event remains, and `calendarEvents.content` if contents of calendar parts are left out.',
    ),
  )
  return Type.IsObject(data)
    ? Type.Object({ ...data.properties, truncated })
    : Type.Intersect([data, Type.Object({ truncated })])
}
