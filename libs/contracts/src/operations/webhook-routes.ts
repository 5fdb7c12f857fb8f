import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import { Bool, pageCounts, pageQuery, Strict, Text } from '../schemas/primitives.ts'
import {
  RouteError,
  RouteTest,
  RouteTestResult,
  WebhookRouteCreation,
  WebhookRouteId,
  WebhookRouteListEntry,
  WebhookRouteRecord,
  WebhookRouteUpdate,
} from '../schemas/webhook-route.ts'

const params = Strict({ webhookRoute: WebhookRouteId })
const id = Text('Id of the webhook route.')
const route = resourceOperations(operationKinds('Webhook routes', 'webhook'), params)
/**
 * Scope and permission of the operations that change webhook routes. Only operators may change
 * routes, because routes apply to all accounts.
 */
const admin = resourceOperations(operationKinds('Webhook routes', 'admin', '*'), params)

export const listWebhookRoutes = defineOperation({
  ...route.list,
  id: 'listWebhookRoutes',
  path: '/v1/webhookRoutes',
  summary: 'List webhook routes',
  description:
    'Lists the webhook routes, sorted by the time of creation. A route sends events to an additional target.',
  query: Strict(pageQuery),
  responseDescription: 'One page of the webhook routes, oldest first, without their functions.',
  response: Type.Object({
    ...pageCounts,
    webhooks: Type.Array(WebhookRouteListEntry, {
      description: 'Webhook routes of this page, oldest first.',
    }),
  }),
})

export const getWebhookRoute = defineOperation({
  ...route.get,
  id: 'getWebhookRoute',
  path: '/v1/webhookRoutes/webhookRoute/:webhookRoute',
  summary: 'Read a webhook route',
  description: 'Reads a webhook route with the source of its filter function and its map function.',
  responseDescription: 'The webhook route with its functions. Header values are masked.',
  response: WebhookRouteRecord,
  errors: ['NotFound'],
})

export const createWebhookRoute = defineOperation({
  ...admin.create,
  id: 'createWebhookRoute',
  path: '/admin/api/webhookRoutes',
  summary: 'Create a webhook route',
  description:
    'Creates a webhook route, which sends events of all accounts to an additional target. The filter function `content.fn` selects the events, the map function `content.map` changes the webhook bodies.',
  body: WebhookRouteCreation,
  responseDescription: 'Id of the new webhook route.',
  response: Type.Object({
    id,
    created: Bool('False if the chosen id existed already. Nothing was changed then.'),
  }),
})

export const updateWebhookRoute = defineOperation({
  ...admin.update,
  id: 'updateWebhookRoute',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Change a webhook route',
  description:
    'Changes a webhook route: the members that the request contains. Absent members keep their values, also in `content`. A masked password or header value (`******`) keeps the stored value. A masked password is accepted only if the address of the target is unchanged.',
  body: WebhookRouteUpdate,
  responseDescription: 'Id of the webhook route.',
  response: Type.Object({
    id,
    updated: Bool('Always true: a failed request gets an error response.'),
  }),
  errors: ['NotFound'],
})

export const deleteWebhookRoute = defineOperation({
  ...admin.delete,
  id: 'deleteWebhookRoute',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Delete a webhook route',
  description: 'Deletes a webhook route. Pending deliveries of the route are dropped.',
  responseDescription: 'Id of the deleted webhook route.',
  response: Type.Object({
    id,
    deleted: Bool('Always true: a failed request gets an error response.'),
  }),
  errors: ['NotFound'],
})

export const testWebhookRoute = defineOperation({
  ...admin.create,
  id: 'testWebhookRoute',
  path: '/admin/api/webhookRoutes/test',
  summary: 'Test the functions of a webhook route',
  description:
    'Runs the filter function and the map function of a webhook route with a webhook body. Nothing is sent or stored.',
  body: RouteTest,
  responseDescription: 'Results of the filter function and the map function of the webhook route.',
  response: RouteTestResult,
})

export const listWebhookRouteErrors = defineOperation({
  ...admin.get,
  id: 'listWebhookRouteErrors',
  path: '/admin/api/webhookRoutes/:webhookRoute/errors',
  summary: 'List errors of the functions of a webhook route',
  description:
    'Lists the latest 20 errors of the filter function and the map function of a webhook route, newest first. For people at the administration pages without the active right to read mail, the texts of the errors are hidden.',
  responseDescription:
    'Latest errors of the filter function and the map function of the webhook route, newest first.',
  response: Type.Object({
    id,
    errors: Type.Array(RouteError, {
      description:
        'Latest errors of the filter function and the map function of the webhook route, newest first. At most 20.',
    }),
  }),
  errors: ['NotFound'],
})
