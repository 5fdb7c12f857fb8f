import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
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
const { read } = operationKinds('Webhook routes', 'webhook')
/** Permission to change webhook routes. The targets of all accounts are reserved for operators. */
const admin = operationKinds('Webhook routes', 'admin', '*')

export const listWebhookRoutes = defineOperation({
  ...read,
  id: 'listWebhookRoutes',
  method: 'get',
  path: '/v1/webhookRoutes',
  summary: 'List webhook routes',
  query: Strict(pageQuery),
  response: Type.Object({
    ...pageCounts,
    webhooks: Type.Array(WebhookRouteListEntry, { description: 'Routes of this page.' }),
  }),
})

export const getWebhookRoute = defineOperation({
  ...read,
  id: 'getWebhookRoute',
  method: 'get',
  path: '/v1/webhookRoutes/webhookRoute/:webhookRoute',
  summary: 'Read a webhook route',
  params,
  response: WebhookRouteRecord,
  errors: ['NotFound'],
})

export const createWebhookRoute = defineOperation({
  ...admin.write,
  id: 'createWebhookRoute',
  method: 'post',
  path: '/admin/api/webhookRoutes',
  summary: 'Create a webhook route',
  body: WebhookRouteCreation,
  response: Type.Object({ id, created: Bool('Always true.') }),
})

export const updateWebhookRoute = defineOperation({
  ...admin.write,
  id: 'updateWebhookRoute',
  method: 'put',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Change a webhook route',
  description:
    'A masked password or header value keeps the stored one. A masked password is accepted only if the address of the target is unchanged.',
  params,
  body: WebhookRouteUpdate,
  response: Type.Object({ id, updated: Bool('Always true.') }),
  errors: ['NotFound'],
})

export const deleteWebhookRoute = defineOperation({
  ...admin.destructive,
  id: 'deleteWebhookRoute',
  method: 'delete',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Delete a webhook route',
  description: 'Pending deliveries of the route are dropped.',
  params,
  response: Type.Object({ id, deleted: Bool('Always true.') }),
  errors: ['NotFound'],
})

export const testWebhookRoute = defineOperation({
  ...admin.write,
  id: 'testWebhookRoute',
  method: 'post',
  path: '/admin/api/webhookRoutes/test',
  summary: 'Test the functions of a webhook route',
  description: 'Sends and stores nothing.',
  body: RouteTest,
  response: RouteTestResult,
})

export const listWebhookRouteErrors = defineOperation({
  ...admin.read,
  id: 'listWebhookRouteErrors',
  method: 'get',
  path: '/admin/api/webhookRoutes/:webhookRoute/errors',
  summary: 'List errors of the functions of a webhook route',
  description: 'The latest 20 errors, newest first.',
  params,
  response: Type.Object({
    id,
    errors: Type.Array(RouteError, { description: 'Errors of the functions.' }),
  }),
  errors: ['NotFound'],
})
