import { type Static, Type } from 'typebox'
import {
  Bool,
  ChosenId,
  Int,
  KeyValue,
  Nullable,
  OneOf,
  Strict,
  Text,
  Texts,
  Time,
} from './primitives.ts'

/**
 * Maximum number of characters in the source of a webhook route's function. Two functions of this
 * size fit into a request body.
 */
const maxSource = 262_144

const id = { minLength: 1, maxLength: 256 }
export const WebhookRouteId = Text('Id of the webhook route.', id)

const name = Text('Name of the webhook route.', id)
const targetUrl = Text(
  'URL that receives the webhooks of the route. A login in the URL is sent as HTTP Basic authentication.',
  {
    maxLength: 2048,
    format: 'http-url',
  },
)
const source = (description: string) =>
  Type.Optional(Nullable(Text(description, { maxLength: maxSource })))
/**
 * Filter function and map function of a webhook route. An absent member means that the route has no
 * such function.
 */
export const RouteFunctions = Strict(
  {
    fn: source(
      'Filter function of the webhook route: body of a JavaScript function with the parameters `payload` (webhook body), `logger` and `env`. Events for which the function returns true are delivered. Null or blank: all events are delivered.',
    ),
    map: source(
      'Map function of the webhook route: body of a JavaScript function with the parameters `payload` (webhook body), `logger` and `env`. The function returns the webhook body to deliver. Null or blank: `payload` is delivered unchanged.',
    ),
  },
  { description: 'Filter function (`fn`) and map function (`map`) of the webhook route.' },
)
export type RouteFunctions = Static<typeof RouteFunctions>

const changeable = {
  description: Type.Optional(
    Nullable(Text('Description of the webhook route for operators.', { maxLength: 1024 })),
  ),
  enabled: Type.Optional(
    Bool('If true, the webhook route delivers events. If false, no event is delivered.'),
  ),
  customHeaders: Type.Optional(
    Type.Array(KeyValue, {
      maxItems: 100,
      description:
        'Additional HTTP headers of webhook requests of the route. Values are stored encrypted. The mask `******` as a value keeps the stored value.',
    }),
  ),
  content: Type.Optional(RouteFunctions),
  expiresAt: Type.Optional(
    Nullable(
      Time(
        'Time at which the webhook route is deleted (ISO 8601), for routes of programs that extend the time while they run. Must be in the future. Null or absent: the webhook route does not expire.',
      ),
    ),
  ),
}
/**
 * Names of the webhook targets without a route. A delivery names its target by such a name or a
 * route id.
 */
const targetNames = ['default', 'account']
export const WebhookRouteCreation = Strict({
  id: ChosenId('webhook route', targetNames),
  name,
  targetUrl,
  ...changeable,
})
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
  name: Text('Name of the webhook route.'),
  description: Text(
    'Description of the webhook route for operators. Empty if there is no description.',
  ),
  created: Time('Time at which the webhook route was created (ISO 8601).'),
  updated: Time('Time of the last change of the webhook route (ISO 8601).'),
  enabled: Bool('True if the webhook route delivers events.'),
  expiresAt: Nullable(
    Time(
      'Time at which the webhook route is deleted (ISO 8601). Null if the webhook route does not expire.',
    ),
  ),
  targetUrl: Text('URL that receives the webhooks of the route, with a masked password.'),
  tcount: Int('Number of webhook deliveries that the route has created.'),
  webhookErrorFlag: Nullable(
    Text(
      'Text of the error of the last failed delivery of the webhook route. Null after a success.',
    ),
  ),
  customHeaders: Type.Array(
    Type.Object({
      key: Text('Name of the HTTP header, such as `X-Tenant`.'),
      value: Text('Masked value of the HTTP header: `******`.'),
    }),
    {
      description: 'Additional HTTP headers of webhook requests of the route, with masked values.',
    },
  ),
}
export const WebhookRouteListEntry = Type.Object(listed)
export const WebhookRouteRecord = Type.Object({
  ...listed,
  v: Int('Version of the webhook route. Each change increments the version.'),
  content: Type.Object(
    {
      fn: Nullable(
        Text(
          'Source of the filter function of the webhook route. Null if there is no filter function.',
        ),
      ),
      map: Nullable(
        Text('Source of the map function of the webhook route. Null if there is no map function.'),
      ),
    },
    { description: 'Filter function (`fn`) and map function (`map`) of the webhook route.' },
  ),
})

const failure = {
  function: OneOf(['filter', 'map'], {
    description:
      'Function of the webhook route that failed: `filter` (filter function) or `map` (map function).',
  }),
  message: Text('Text of the error of the filter function or map function of the webhook route.'),
}
export const RouteError = Type.Object({
  created: Time(
    'Time at which the filter function or map function of the webhook route failed (ISO 8601).',
  ),
  ...failure,
  event: Text(
    'Name of the event for which the filter function or map function of the webhook route failed, such as `messageNew`.',
  ),
  account: Text(
    'Id of the account of the event for which the filter function or map function of the webhook route failed.',
  ),
  eventId: Text(
    'Id of the event for which the filter function or map function of the webhook route failed.',
  ),
})

/** Test run of the filter and map function of a webhook route with a payload. */
export const RouteTest = Strict({
  content: RouteFunctions,
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Webhook body with which the filter function and the map function are tested. `eventId` and `_route` are added if absent.',
  }),
})

export const RouteTestResult = Type.Object({
  applies: Bool('True if the filter function of the webhook route accepts `payload`.'),
  payload: Type.Optional(
    Type.Unknown({
      description:
        'Webhook body that the webhook route would deliver. Absent if the webhook route would deliver nothing.',
    }),
  ),
  errors: Type.Array(Type.Object(failure), {
    description: 'Errors of the filter function and the map function of the webhook route.',
  }),
  logs: Texts('Lines that the filter function and the map function passed to `logger`, in order.'),
  usedMs: Type.Number({
    description: 'CPU time that the filter function and the map function used, in milliseconds.',
  }),
})
