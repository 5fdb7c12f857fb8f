import { type Static, Type } from 'typebox'
import { IsoDate, KeyValue, Nullable, OneOf, Strict } from './primitives.ts'

/** Maximum characters of a function's source. Two of them fit into a request body. */
const maxSource = 262_144

export const WebhookRouteId = Type.String({ minLength: 1, maxLength: 256 })

const Name = Type.String({ minLength: 1, maxLength: 256 })
const Description = Nullable(Type.String({ maxLength: 1024 }))
const TargetUrl = Type.String({
  maxLength: 2048,
  format: 'http-url',
  description: 'Target URL. Credentials in it are sent as HTTP Basic authentication.',
})
const Headers = Type.Array(KeyValue, {
  maxItems: 100,
  description:
    'Additional headers. Values are stored encrypted. A masked value keeps the stored one.',
})
const Source = Nullable(
  Type.String({
    maxLength: maxSource,
    description:
      'JavaScript body of a function of `payload`, `logger` and `env`. Null or blank: no function.',
  }),
)
/** Functions of a route. An absent member means no function. */
export const RouteFunctions = Strict({
  fn: Type.Optional(Source),
  map: Type.Optional(Source),
})
export type RouteFunctions = Static<typeof RouteFunctions>

const changeable = {
  description: Type.Optional(Description),
  enabled: Type.Optional(Type.Boolean()),
  customHeaders: Type.Optional(Headers),
  content: Type.Optional(RouteFunctions),
}
export const WebhookRouteCreation = Strict({ name: Name, targetUrl: TargetUrl, ...changeable })
export type WebhookRouteCreation = Static<typeof WebhookRouteCreation>

/** Body of an update. Absent members stay, also those of `content`. */
export const WebhookRouteUpdate = Strict({
  name: Type.Optional(Name),
  targetUrl: Type.Optional(TargetUrl),
  ...changeable,
})
export type WebhookRouteUpdate = Static<typeof WebhookRouteUpdate>

const listed = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  created: IsoDate,
  updated: IsoDate,
  enabled: Type.Boolean(),
  targetUrl: Type.String({ description: 'A password in it is masked' }),
  tcount: Type.Integer({ description: 'Number of times the route was applied.' }),
  webhookErrorFlag: Nullable(
    Type.String({
      description: 'Message of the last failed delivery. Null after a success.',
    }),
  ),
  customHeaders: Type.Array(Type.Object({ key: Type.String(), value: Type.String() }), {
    description: 'Additional headers with masked values.',
  }),
}
export const WebhookRouteListEntry = Type.Object(listed)
export const WebhookRouteRecord = Type.Object({
  ...listed,
  v: Type.Integer({ description: 'Version, incremented by each change.' }),
  content: Type.Object({ fn: Nullable(Type.String()), map: Nullable(Type.String()) }),
})

export const RouteError = Type.Object({
  created: IsoDate,
  function: OneOf(['filter', 'map']),
  message: Type.String(),
  event: Type.String(),
  account: Type.String(),
  eventId: Type.String(),
})

/** Test of functions with a payload. */
export const RouteTest = Strict({
  content: RouteFunctions,
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Webhook body. `eventId` and `_route` are added if absent.',
  }),
})

export const RouteTestResult = Type.Object({
  applies: Type.Boolean({ description: 'True if the filter function accepts the payload.' }),
  payload: Type.Optional(
    Type.Unknown({ description: 'Payload that would be delivered. Absent if none.' }),
  ),
  errors: Type.Array(Type.Object({ function: OneOf(['filter', 'map']), message: Type.String() })),
  logs: Type.Array(Type.String(), { description: 'Lines the functions passed to `logger`.' }),
  usedMs: Type.Number({ description: 'CPU time of the functions in milliseconds.' }),
})
