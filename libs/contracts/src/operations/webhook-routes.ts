import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { pageCounts, pageQuery, Strict } from '../schemas/primitives.ts'
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
const tag = 'Webhook routes'
/** Changes of the targets of all accounts are reserved for operators. */
const admin = { tag, scope: '*', permission: { action: 'write', group: 'admin' } } as const

export const listWebhookRoutes = defineOperation({
  id: 'listWebhookRoutes',
  method: 'get',
  path: '/v1/webhookRoutes',
  tag,
  summary: 'List webhook routes',
  scope: 'api',
  permission: { action: 'read', group: 'webhook' },
  query: Strict(pageQuery),
  response: Type.Object({ ...pageCounts, webhooks: Type.Array(WebhookRouteListEntry) }),
})

export const getWebhookRoute = defineOperation({
  id: 'getWebhookRoute',
  method: 'get',
  path: '/v1/webhookRoutes/webhookRoute/:webhookRoute',
  tag,
  summary: 'Read a webhook route',
  scope: 'api',
  permission: { action: 'read', group: 'webhook' },
  params,
  response: WebhookRouteRecord,
  errors: ['NotFound'],
})

export const createWebhookRoute = defineOperation({
  ...admin,
  id: 'createWebhookRoute',
  method: 'post',
  path: '/admin/api/webhookRoutes',
  summary: 'Create a webhook route',
  body: WebhookRouteCreation,
  response: Type.Object({ id: Type.String(), created: Type.Boolean() }),
})

export const updateWebhookRoute = defineOperation({
  ...admin,
  id: 'updateWebhookRoute',
  method: 'put',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Change a webhook route',
  description:
    'A masked password or header value keeps the stored one. A masked password is accepted only if the address of the target is unchanged.',
  params,
  body: WebhookRouteUpdate,
  response: Type.Object({ id: Type.String(), updated: Type.Boolean() }),
  errors: ['NotFound'],
})

export const deleteWebhookRoute = defineOperation({
  ...admin,
  id: 'deleteWebhookRoute',
  method: 'delete',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Delete a webhook route',
  description: 'Pending deliveries of the route are dropped.',
  permission: { action: 'destructive', group: 'admin' },
  params,
  response: Type.Object({ id: Type.String(), deleted: Type.Boolean() }),
  errors: ['NotFound'],
})

export const testWebhookRoute = defineOperation({
  ...admin,
  id: 'testWebhookRoute',
  method: 'post',
  path: '/admin/api/webhookRoutes/test',
  summary: 'Test the functions of a webhook route',
  description: 'Sends and stores nothing.',
  body: RouteTest,
  response: RouteTestResult,
})

export const listWebhookRouteErrors = defineOperation({
  ...admin,
  id: 'listWebhookRouteErrors',
  method: 'get',
  path: '/admin/api/webhookRoutes/:webhookRoute/errors',
  summary: 'List errors of the functions of a webhook route',
  description: 'The latest 20 errors, newest first.',
  permission: { action: 'read', group: 'admin' },
  params,
  response: Type.Object({ id: Type.String(), errors: Type.Array(RouteError) }),
  errors: ['NotFound'],
})
