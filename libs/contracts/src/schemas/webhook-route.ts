import { type Static, Type } from 'typebox'
import { IsoDate, KeyValue, Nullable, OneOf, Strict } from './primitives.ts'

/** Characters of a function's source: two of them fit into a request. */
const maxSource = 262_144

export const WebhookRouteId = Type.String({ minLength: 1, maxLength: 256 })

const Name = Type.String({ minLength: 1, maxLength: 256 })
const Description = Nullable(Type.String({ maxLength: 1024 }))
const TargetUrl = Type.String({
  maxLength: 2048,
  format: 'http-url',
  description: 'Credentials in it are sent as Basic authorization',
})
const Headers = Type.Array(KeyValue, {
  maxItems: 100,
  description: 'Values are stored sealed; a masked one stays what it was',
})
const Source = Nullable(
  Type.String({
    maxLength: maxSource,
    description: 'Body of a function of `payload`, `logger` and `env`; null or blank: none',
  }),
)
/** Of functions as they are stored: what is not given is none. */
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

/** What is not given stays, of `content` as well. */
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
  tcount: Type.Integer({ description: 'How many times the route has been applied' }),
  webhookErrorFlag: Nullable(
    Type.String({
      description: 'Message of the last failed delivery; null since the last success',
    }),
  ),
  customHeaders: Type.Array(Type.Object({ key: Type.String(), value: Type.String() }), {
    description: 'Values are masked',
  }),
}
export const WebhookRouteListEntry = Type.Object(listed)
export const WebhookRouteRecord = Type.Object({
  ...listed,
  v: Type.Integer({ description: 'Raised by every change' }),
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

/** What functions would make of a payload. */
export const RouteTest = Strict({
  content: RouteFunctions,
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Body of a webhook; `eventId` and `_route` are added where they are not given',
  }),
})

export const RouteTestResult = Type.Object({
  applies: Type.Boolean({ description: 'What the filter says' }),
  payload: Type.Optional(Type.Unknown({ description: 'What would be delivered; absent: nothing' })),
  errors: Type.Array(Type.Object({ function: OneOf(['filter', 'map']), message: Type.String() })),
  logs: Type.Array(Type.String(), { description: 'What the functions gave to `logger`' }),
  usedMs: Type.Number({ description: 'Time of the processor' }),
})
