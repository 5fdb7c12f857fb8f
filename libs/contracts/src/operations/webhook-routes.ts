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
  query: Strict(pageQuery),
  response: Type.Object({
    ...pageCounts,
    webhooks: Type.Array(WebhookRouteListEntry, { description: 'Routes of this page.' }),
  }),
})

export const getWebhookRoute = defineOperation({
  ...route.get,
  id: 'getWebhookRoute',
  path: '/v1/webhookRoutes/webhookRoute/:webhookRoute',
  summary: 'Read a webhook route',
  response: WebhookRouteRecord,
  errors: ['NotFound'],
})

export const createWebhookRoute = defineOperation({
  ...admin.create,
  id: 'createWebhookRoute',
  path: '/admin/api/webhookRoutes',
  summary: 'Create a webhook route',
  body: WebhookRouteCreation,
  response: Type.Object({ id, created: Bool('Always true.') }),
})

export const updateWebhookRoute = defineOperation({
  ...admin.update,
  id: 'updateWebhookRoute',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Change a webhook route',
  description:
    'A masked password or header value keeps the stored one. A masked password is accepted only if the address of the target is unchanged.',
  body: WebhookRouteUpdate,
  response: Type.Object({ id, updated: Bool('Always true.') }),
  errors: ['NotFound'],
})

export const deleteWebhookRoute = defineOperation({
  ...admin.delete,
  id: 'deleteWebhookRoute',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Delete a webhook route',
  description: 'Pending deliveries of the route are dropped.',
  response: Type.Object({ id, deleted: Bool('Always true.') }),
  errors: ['NotFound'],
})

export const testWebhookRoute = defineOperation({
  ...admin.create,
  id: 'testWebhookRoute',
  path: '/admin/api/webhookRoutes/test',
  summary: 'Test the functions of a webhook route',
  description: 'Sends and stores nothing.',
  body: RouteTest,
  response: RouteTestResult,
})

export const listWebhookRouteErrors = defineOperation({
  ...admin.get,
  id: 'listWebhookRouteErrors',
  path: '/admin/api/webhookRoutes/:webhookRoute/errors',
  summary: 'List errors of the functions of a webhook route',
  description: 'The latest 20 errors, newest first.',
  response: Type.Object({
    id,
    errors: Type.Array(RouteError, { description: 'Errors of the functions.' }),
  }),
  errors: ['NotFound'],
})
