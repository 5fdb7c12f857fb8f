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

/** The failed set, unless another state is asked for. */
export const listWebhookDeliveries = defineOperation({
  id: 'listWebhookDeliveries',
  method: 'get',
  path: '/admin/api/webhookDeliveries',
  tag: 'Webhooks',
  summary: 'List webhook deliveries that failed, or are in another state',
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
  summary: 'Read a webhook delivery with its payload, its attempts and its repeats',
  scope: '*',
  permission: read,
  params: Strict({ delivery: Uuid }),
  response: Type.Object({
    ...WebhookDelivery.properties,
    /** What was sent; null when its event is gone. */
    payload: Type.Unknown(),
    /** Of the log of attempts, where one is kept. */
    log: Type.Array(WebhookAttempt),
    replays: Type.Array(Type.String()),
  }),
  errors: ['NotFound'],
})

/** The repeat is a delivery of its own: new id, same event. */
export const retryWebhookDelivery = defineOperation({
  id: 'retryWebhookDelivery',
  method: 'post',
  path: '/admin/api/webhookDeliveries/:delivery/retry',
  tag: 'Webhooks',
  summary: 'Repeat a failed webhook delivery',
  scope: '*',
  permission: write,
  params: Strict({ delivery: Uuid }),
  response: WebhookReplay,
  errors: ['NotFound', 'UnsupportedOperation'],
})

/** Carried out in the background, in the order in which they failed. What was repeated already is left out. */
export const createWebhookReplay = defineOperation({
  id: 'createWebhookReplay',
  method: 'post',
  path: '/admin/api/webhookReplays',
  tag: 'Webhooks',
  summary: 'Repeat all failed webhook deliveries that a filter finds',
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
  summary: 'List what was asked to be repeated, newest first',
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
  summary: 'Read how far a repeat of failed webhook deliveries has come',
  scope: '*',
  permission: read,
  params: Strict({ replay: Uuid }),
  response: WebhookReplay,
  errors: ['NotFound'],
})
