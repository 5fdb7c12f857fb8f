import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Nullable, pageQuery, Strict } from '../schemas/primitives.ts'
import {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookReplay,
  WebhookReplayFilter,
} from '../schemas/webhook-delivery.ts'

const Uuid = Type.String({ format: 'uuid' })
const read = { action: 'read', group: 'admin' } as const
const write = { action: 'write', group: 'admin' } as const

export const listWebhookDeliveries = defineOperation({
  id: 'listWebhookDeliveries',
  method: 'get',
  path: '/admin/api/webhookDeliveries',
  tag: 'Webhooks',
  summary: 'List webhook deliveries',
  description: 'Lists failed deliveries unless `state` is set.',
  scope: '*',
  permission: read,
  query: WebhookDeliveryQuery,
  response: Type.Object({
    deliveries: Type.Array(WebhookDelivery),
    nextCursor: Nullable(Type.String()),
  }),
})

export const getWebhookDelivery = defineOperation({
  id: 'getWebhookDelivery',
  method: 'get',
  path: '/admin/api/webhookDeliveries/:delivery',
  tag: 'Webhooks',
  summary: 'Read a webhook delivery with its payload, attempts and replays',
  scope: '*',
  permission: read,
  params: Strict({ delivery: Uuid }),
  response: Type.Object({
    ...WebhookDelivery.properties,
    /** Payload. Null if the event was deleted. */
    payload: Type.Unknown(),
    /** Attempts, if the attempt log is on. */
    log: Type.Array(WebhookAttempt),
    replays: Type.Array(Type.String()),
  }),
  errors: ['NotFound'],
})

export const retryWebhookDelivery = defineOperation({
  id: 'retryWebhookDelivery',
  method: 'post',
  path: '/admin/api/webhookDeliveries/:delivery/retry',
  tag: 'Webhooks',
  summary: 'Replay a failed webhook delivery',
  description: 'The replay is a new delivery with its own id and the same event id.',
  scope: '*',
  permission: write,
  params: Strict({ delivery: Uuid }),
  response: WebhookReplay,
  errors: ['NotFound', 'UnsupportedOperation'],
})

export const createWebhookReplay = defineOperation({
  id: 'createWebhookReplay',
  method: 'post',
  path: '/admin/api/webhookReplays',
  tag: 'Webhooks',
  summary: 'Replay all failed webhook deliveries that match a filter',
  description:
    'Runs in the background, in the order of failure. Deliveries that were replayed before are skipped.',
  scope: '*',
  permission: write,
  body: WebhookReplayFilter,
  response: WebhookReplay,
})

export const listWebhookReplays = defineOperation({
  id: 'listWebhookReplays',
  method: 'get',
  path: '/admin/api/webhookReplays',
  tag: 'Webhooks',
  summary: 'List webhook replays',
  description: 'Sorted from newest to oldest.',
  scope: '*',
  permission: read,
  query: Strict(pageQuery),
  response: Type.Object({ replays: Type.Array(WebhookReplay) }),
})

export const getWebhookReplay = defineOperation({
  id: 'getWebhookReplay',
  method: 'get',
  path: '/admin/api/webhookReplays/:replay',
  tag: 'Webhooks',
  summary: 'Read the progress of a webhook replay',
  scope: '*',
  permission: read,
  params: Strict({ replay: Uuid }),
  response: WebhookReplay,
  errors: ['NotFound'],
})
