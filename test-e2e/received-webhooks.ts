import { createHmac } from 'node:crypto'
import type { ReceivedRequest, WebhookReceiver } from '@posthorn/testkit'

/** Webhook request that a receiver has received, with its parsed body. */
export interface Webhook {
  event: string
  account: string
  path?: string
  // Type any, because a test reads the fields that it expects. A wrong shape fails the assertions
  // of the test.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
  eventId: string
  attemptsMade: number
  body: Buffer
  signatureValid: boolean
  request: ReceivedRequest
}

/**
 * Returns a function that lists the webhooks that a receiver has received so far, oldest first.
 * Each request is parsed once, because tests list thousands of webhooks in each of their polls.
 */
export function webhookReader(
  receiver: Pick<WebhookReceiver, 'requests'>,
  serviceSecret: string,
): () => Webhook[] {
  const webhooks = new WeakMap<ReceivedRequest, Webhook>()
  const read = (request: ReceivedRequest) => {
    const webhook = webhooks.get(request) ?? readWebhook(request, serviceSecret)
    webhooks.set(request, webhook)
    return webhook
  }
  return () => receiver.requests.map(read)
}

function readWebhook(request: ReceivedRequest, serviceSecret: string): Webhook {
  const envelope = request.json() as Pick<Webhook, 'event' | 'account' | 'path' | 'data'>
  const signature = createHmac('sha256', serviceSecret).update(request.body).digest('base64url')
  return {
    ...envelope,
    eventId: String(request.headers['x-svc-wh-event-id']),
    attemptsMade: Number(request.headers['x-svc-wh-attempts-made']),
    body: request.body,
    signatureValid: request.headers['x-svc-wh-signature'] === signature,
    request,
  }
}
