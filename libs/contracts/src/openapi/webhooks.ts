import { type TSchema, Type } from 'typebox'
import { type EventName, eventNames, events } from '../events/index.ts'
import { IsoDate, Nullable } from '../schemas/primitives.ts'
import { toOpenApiSchema } from './components.ts'

/** When each is sent. Interface spec, "Event list and data fields". */
const meanings: Record<EventName, string> = {
  accountAdded: 'An account was registered',
  accountDeleted: 'An account was deleted',
  accountInitialized: 'The first sync of all mailboxes finished',
  authenticationError: 'The server refused the credentials',
  authenticationSuccess: 'A login succeeded, the first or after an authenticationError',
  connectError: 'The server could not be reached, or refused for another reason',
  mailboxNew: 'A folder was found',
  mailboxDeleted: 'A folder is no longer there',
  mailboxReset: 'All message ids of a folder are void',
  messageNew: 'A message is in a folder where it was not before',
  messageDeleted: 'A message is no longer in its folder',
  messageUpdated: 'Flags or labels of a message changed',
  messageMissing: 'A message that the server had announced could not be fetched',
  messageBounce: 'A report tells that a message did not reach a recipient, or not yet',
  messageComplaint: 'Somebody called a message spam',
  messageSent: 'The outgoing server accepted a queued message',
  messageDeliveryError: 'One attempt to deliver a message failed',
  messageFailed: 'No attempt to deliver a message is left',
  trackOpen: 'The picture in a message was asked for',
  trackClick: 'A rewritten link was followed',
  listUnsubscribe: 'Somebody left a list',
  listSubscribe: 'Somebody who had left a list came back',
}

/** On every delivery, beside `Content-Type`, `User-Agent` and those that were configured. */
const headers: Readonly<Record<string, string>> = {
  'X-SVC-Wh-Id': 'Of this delivery',
  'X-SVC-Wh-Attempts-Made': 'Attempts made before this one',
  'X-SVC-Wh-Queued-Time': 'Whole seconds since the event was queued, with the suffix `s`',
  'X-SVC-Wh-Event-Id': 'Identical on all attempts and for all targets: deduplicate on it',
  'X-SVC-Wh-Custom-Route': 'Id of the route, where one made the delivery',
  'X-SVC-Wh-Signature': 'Base64url HMAC-SHA256 of the body',
  'webhook-id': 'Standard Webhooks 1.0, as the two that follow',
  'webhook-timestamp': 'Seconds since 1970',
  'webhook-signature': 'Signatures, separated by spaces',
}
const always = new Set(Object.keys(headers).filter((name) => name !== 'X-SVC-Wh-Custom-Route'))

/** What receivers are sent, an entry an event. */
export function describeWebhooks(): Record<string, object> {
  return Object.fromEntries(eventNames.map((name) => [name, { post: describe(name) }]))
}

function describe(name: EventName): object {
  return {
    operationId: name,
    tags: ['Webhooks'],
    summary: meanings[name],
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
      '2XX': { description: 'It is stored. Anything else is tried again, but for a redirect' },
    },
  }
}

function bodyOf(name: EventName, data: TSchema): TSchema {
  return Type.Object({
    serviceUrl: Nullable(Type.String()),
    account: Type.String(),
    date: IsoDate,
    path: Type.Optional(Type.String()),
    specialUse: Type.Optional(Type.String()),
    event: Type.Literal(name),
    data,
  })
}
