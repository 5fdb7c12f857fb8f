import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Bool, Nullable, pageQuery, Strict, Text, Texts } from '../schemas/primitives.ts'
import {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookReplay,
  WebhookReplayFilter,
} from '../schemas/webhook-delivery.ts'

const { read, write } = operationKinds('Webhooks', 'admin', '*')
const delivery = Strict({ delivery: Text('Id of the webhook delivery.', { format: 'uuid' }) })

export const listWebhookDeliveries = defineOperation({
  ...read,
  id: 'listWebhookDeliveries',
  method: 'get',
  path: '/admin/api/webhookDeliveries',
  summary: 'List webhook deliveries',
  description:
    'Lists webhook deliveries in one state, latest first. Without `state`, lists failed deliveries. Each delivery is one event on its way to one target.',
  query: WebhookDeliveryQuery,
  responseDescription:
    'One page of the webhook deliveries, latest first, with the cursor of the next page.',
  response: Type.Object({
    deliveries: Type.Array(WebhookDelivery, {
      description: 'Webhook deliveries of this page, latest first.',
    }),
    nextCursor: Nullable(
      Text('Cursor of the next page, for the parameter `cursor`. Null on the last page.'),
    ),
  }),
})

export const getWebhookDelivery = defineOperation({
  ...read,
  id: 'getWebhookDelivery',
  method: 'get',
  path: '/admin/api/webhookDeliveries/:delivery',
  summary: 'Read a webhook delivery with its payload, attempts and replays',
  description:
    'Reads a webhook delivery with its webhook body, its attempts and the ids of its replays. Attempts are listed only if the setting `webhooksAttemptLog` is on.',
  params: delivery,
  responseDescription: 'The webhook delivery with its webhook body, attempts and replays.',
  response: Type.Object({
    ...WebhookDelivery.properties,
    payload: Type.Unknown({
      description:
        'Webhook body that is sent to the target. Null if the event was deleted after its retention period.',
    }),
    payloadHidden: Type.Optional(
      Bool(
        'True if the payload is null because the person has not activated the right to read mail. Only in responses to the administration pages.',
      ),
    ),
    log: Type.Array(WebhookAttempt, {
      description:
        'Attempts to deliver the webhook, oldest first. Contains only attempts that ended while the setting `webhooksAttemptLog` was on.',
    }),
    replays: Texts('Ids of the webhook deliveries that replay this webhook delivery.'),
  }),
  errors: ['NotFound'],
})

export const retryWebhookDelivery = defineOperation({
  ...write,
  id: 'retryWebhookDelivery',
  method: 'post',
  path: '/admin/api/webhookDeliveries/:delivery/retry',
  summary: 'Replay a failed webhook delivery',
  description:
    'Replays a failed webhook delivery in the background. The replay is a new delivery with its own id and the same event id. A delivery can be replayed once.',
  params: delivery,
  responseDescription: 'The new replay of failed webhook deliveries, in the state `queued`.',
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
    'Replays all failed webhook deliveries that match a filter. The replay runs in the background, in the order in which the deliveries failed. Deliveries that were replayed before are skipped.',
  body: WebhookReplayFilter,
  responseDescription: 'The new replay of failed webhook deliveries, in the state `queued`.',
  response: WebhookReplay,
})

export const listWebhookReplays = defineOperation({
  ...read,
  id: 'listWebhookReplays',
  method: 'get',
  path: '/admin/api/webhookReplays',
  summary: 'List webhook replays',
  description:
    'Lists replays of failed webhook deliveries with their progress, sorted from newest to oldest.',
  query: Strict(pageQuery),
  responseDescription: 'One page of the replays of failed webhook deliveries, newest first.',
  response: Type.Object({
    replays: Type.Array(WebhookReplay, {
      description: 'Replays of failed webhook deliveries on this page, newest first.',
    }),
  }),
})

export const getWebhookReplay = defineOperation({
  ...read,
  id: 'getWebhookReplay',
  method: 'get',
  path: '/admin/api/webhookReplays/:replay',
  summary: 'Read the progress of a webhook replay',
  description:
    'Reads the state of a replay of failed webhook deliveries, and how many deliveries it has replayed.',
  params: Strict({
    replay: Text('Id of the replay of failed webhook deliveries.', { format: 'uuid' }),
  }),
  responseDescription: 'The replay of failed webhook deliveries with its progress.',
  response: WebhookReplay,
  errors: ['NotFound'],
})
