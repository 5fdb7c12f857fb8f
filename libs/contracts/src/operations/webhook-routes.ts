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
/** What changes where everybody's mail is told of is for operators alone. */
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

/** A masked password or header stays what it was; the password only with the address that it belongs to. */
export const updateWebhookRoute = defineOperation({
  ...admin,
  id: 'updateWebhookRoute',
  method: 'put',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Change a webhook route',
  params,
  body: WebhookRouteUpdate,
  response: Type.Object({ id: Type.String(), updated: Type.Boolean() }),
  errors: ['NotFound'],
})

/** What waits for it is not delivered any more. */
export const deleteWebhookRoute = defineOperation({
  ...admin,
  id: 'deleteWebhookRoute',
  method: 'delete',
  path: '/admin/api/webhookRoutes/:webhookRoute',
  summary: 'Delete a webhook route',
  permission: { action: 'destructive', group: 'admin' },
  params,
  response: Type.Object({ id: Type.String(), deleted: Type.Boolean() }),
  errors: ['NotFound'],
})

/** Calls nobody and stores nothing. */
export const testWebhookRoute = defineOperation({
  ...admin,
  id: 'testWebhookRoute',
  method: 'post',
  path: '/admin/api/webhookRoutes/test',
  summary: 'Try the functions of a webhook route',
  body: RouteTest,
  response: RouteTestResult,
})

/** The last 20 times that a function of the route failed, the newest first. */
export const listWebhookRouteErrors = defineOperation({
  ...admin,
  id: 'listWebhookRouteErrors',
  method: 'get',
  path: '/admin/api/webhookRoutes/:webhookRoute/errors',
  summary: 'Errors of the functions of a webhook route',
  permission: { action: 'read', group: 'admin' },
  params,
  response: Type.Object({ id: Type.String(), errors: Type.Array(RouteError) }),
  errors: ['NotFound'],
})
