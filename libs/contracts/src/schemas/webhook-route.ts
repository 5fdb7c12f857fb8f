import { type Static, Type } from 'typebox'
import { Bool, Int, KeyValue, Nullable, OneOf, Strict, Text, Texts, Time } from './primitives.ts'

/**
 * Maximum number of characters in the source of a webhook route's function. Two functions of this
 * size fit into a request body.
 */
const maxSource = 262_144

const id = { minLength: 1, maxLength: 256 }
export const WebhookRouteId = Text('Id of the webhook route.', id)

const name = Text('Name of the route.', id)
const targetUrl = Text('Target URL. Credentials in it are sent as HTTP Basic authentication.', {
  maxLength: 2048,
  format: 'http-url',
})
const source = (kind: string) =>
  Type.Optional(
    Nullable(
      Text(
        `${kind}: JavaScript body of a function of \`payload\`, \`logger\` and \`env\`. Null or blank: no function.`,
        { maxLength: maxSource },
      ),
    ),
  )
/**
 * Filter function and map function of a webhook route. An absent member means that the route has no
 * such function.
 */
export const RouteFunctions = Strict(
  { fn: source('Filter function'), map: source('Map function') },
  { description: 'Functions of the route.' },
)
export type RouteFunctions = Static<typeof RouteFunctions>

const changeable = {
  description: Type.Optional(Nullable(Text('Description of the route.', { maxLength: 1024 }))),
  enabled: Type.Optional(Bool('If true, the route delivers events.')),
  customHeaders: Type.Optional(
    Type.Array(KeyValue, {
      maxItems: 100,
      description:
        'Additional headers. Values are stored encrypted. A masked value keeps the stored one.',
    }),
  ),
  content: Type.Optional(RouteFunctions),
}
export const WebhookRouteCreation = Strict({ name, targetUrl, ...changeable })
export type WebhookRouteCreation = Static<typeof WebhookRouteCreation>

/**
 * Body of an update of a webhook route. Absent members keep their stored value, in `content` as
 * well.
 */
export const WebhookRouteUpdate = Strict({
  name: Type.Optional(name),
  targetUrl: Type.Optional(targetUrl),
  ...changeable,
})
export type WebhookRouteUpdate = Static<typeof WebhookRouteUpdate>

const listed = {
  id: Text('Id of the webhook route.'),
  name: Text('Name of the route.'),
  description: Text('Description of the route. Empty if there is none.'),
  created: Time('Time of creation (ISO 8601).'),
  updated: Time('Time of the last change (ISO 8601).'),
  enabled: Bool('True if the route delivers events.'),
  targetUrl: Text('Target URL with a masked password.'),
  tcount: Int('Number of times the route was applied.'),
  webhookErrorFlag: Nullable(Text('Message of the last failed delivery. Null after a success.')),
  customHeaders: Type.Array(
    Type.Object({ key: Text('Name of the header.'), value: Text('Masked value.') }),
    { description: 'Additional headers with masked values.' },
  ),
}
export const WebhookRouteListEntry = Type.Object(listed)
export const WebhookRouteRecord = Type.Object({
  ...listed,
  v: Int('Version, incremented by each change.'),
  content: Type.Object(
    {
      fn: Nullable(Text('Source of the filter function. Null if there is none.')),
      map: Nullable(Text('Source of the map function. Null if there is none.')),
    },
    { description: 'Functions of the route.' },
  ),
})

const failure = {
  function: OneOf(['filter', 'map'], { description: 'Function that failed.' }),
  message: Text('Text of the error.'),
}
export const RouteError = Type.Object({
  created: Time('Time of the error (ISO 8601).'),
  ...failure,
  event: Text('Event name.'),
  account: Text('Account of the event.'),
  eventId: Text('Event id.'),
})

/** Test run of the filter and map function of a webhook route with a payload. */
export const RouteTest = Strict({
  content: RouteFunctions,
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Webhook body. `eventId` and `_route` are added if absent.',
  }),
})

export const RouteTestResult = Type.Object({
  applies: Bool('True if the filter function accepts the payload.'),
  payload: Type.Optional(
    Type.Unknown({ description: 'Payload that would be delivered. Absent if none.' }),
  ),
  errors: Type.Array(Type.Object(failure), { description: 'Errors of the functions.' }),
  logs: Texts('Lines the functions passed to `logger`.'),
  usedMs: Type.Number({ description: 'CPU time of the functions in milliseconds.' }),
})
