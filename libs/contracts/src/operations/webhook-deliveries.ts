import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Nullable, pageQuery, Strict, Text, Texts } from '../schemas/primitives.ts'
import {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookReplay,
  WebhookReplayFilter,
} from '../schemas/webhook-delivery.ts'

const { read, write } = operationKinds('Webhooks', 'admin', '*')
const delivery = Strict({ delivery: Text('Delivery id.', { format: 'uuid' }) })

export const listWebhookDeliveries = defineOperation({
  ...read,
  id: 'listWebhookDeliveries',
  method: 'get',
  path: '/admin/api/webhookDeliveries',
  summary: 'List webhook deliveries',
  description: 'Lists failed deliveries unless `state` is set.',
  query: WebhookDeliveryQuery,
  response: Type.Object({
    deliveries: Type.Array(WebhookDelivery, { description: 'Deliveries of this page.' }),
    nextCursor: Nullable(Text('Cursor of the next page. Null on the last page.')),
  }),
})

export const getWebhookDelivery = defineOperation({
  ...read,
  id: 'getWebhookDelivery',
  method: 'get',
  path: '/admin/api/webhookDeliveries/:delivery',
  summary: 'Read a webhook delivery with its payload, attempts and replays',
  params: delivery,
  response: Type.Object({
    ...WebhookDelivery.properties,
    payload: Type.Unknown({ description: 'Webhook body. Null if the event was deleted.' }),
    log: Type.Array(WebhookAttempt, { description: 'Attempts, if the attempt log is on.' }),
    replays: Texts('Ids of the deliveries that replay this one.'),
  }),
  errors: ['NotFound'],
})

export const retryWebhookDelivery = defineOperation({
  ...write,
  id: 'retryWebhookDelivery',
  method: 'post',
  path: '/admin/api/webhookDeliveries/:delivery/retry',
  summary: 'Replay a failed webhook delivery',
  description: 'The replay is a new delivery with its own id and the same event id.',
  params: delivery,
  response: WebhookReplay,
  errors: ['NotFound', 'UnsupportedOperation'],
})

export const createWebhookReplay = defineOperation({
  ...write,
  id: 'createWebhookReplay',
  method: 'post',
  path: '/admin/api/webhookReplays',
  summary: 'Replay all failed webhook deliveries that match a filter',
  description:
    'Runs in the background, in the order of failure. Deliveries that were replayed before are skipped.',
  body: WebhookReplayFilter,
  response: WebhookReplay,
})

export const listWebhookReplays = defineOperation({
  ...read,
  id: 'listWebhookReplays',
  method: 'get',
  path: '/admin/api/webhookReplays',
  summary: 'List webhook replays',
  description: 'Sorted from newest to oldest.',
  query: Strict(pageQuery),
  response: Type.Object({
    replays: Type.Array(WebhookReplay, { description: 'Replays of this page.' }),
  }),
})

export const getWebhookReplay = defineOperation({
  ...read,
  id: 'getWebhookReplay',
  method: 'get',
  path: '/admin/api/webhookReplays/:replay',
  summary: 'Read the progress of a webhook replay',
  params: Strict({ replay: Text('Replay id.', { format: 'uuid' }) }),
  response: WebhookReplay,
  errors: ['NotFound'],
})
