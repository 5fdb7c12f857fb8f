import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Nullable, Text, timeoutHeader } from '../schemas/primitives.ts'
import { WebhookTarget, WebhookTargetQuery } from '../schemas/webhook-target.ts'
import { WebhookTargetTest, WebhookTargetTestResult } from '../schemas/webhook-target-test.ts'

const { read, write } = operationKinds('Webhooks', 'admin', '*')

export const listWebhookTargets = defineOperation({
  ...read,
  id: 'listWebhookTargets',
  method: 'get',
  path: '/admin/api/webhookTargets',
  summary: 'List webhook targets',
  description:
    'Lists addresses of webhook targets with the state of their deliveries, sorted by address. These are all addresses with stored deliveries, the address of the default target, and the addresses in the setting `webhookTargets`. Delivered webhooks are stored for `SVC_WEBHOOK_KEEP_DELIVERED` (default 1 day).',
  query: WebhookTargetQuery,
  responseDescription: 'One page of the webhook targets, with the cursor of the next page.',
  response: Type.Object({
    targets: Type.Array(WebhookTarget, {
      description: 'Webhook targets of this page, sorted by address.',
    }),
    nextCursor: Nullable(
      Text('Cursor of the next page, for the parameter `cursor`. Null on the last page.'),
    ),
  }),
})

export const testWebhookTarget = defineOperation({
  ...write,
  id: 'testWebhookTarget',
  method: 'post',
  path: '/admin/api/webhookTargets/test',
  summary: 'Test a webhook target',
  description:
    'Sends one signed webhook with the event `test` to a webhook target and returns the response. Without `url` and `account`, tests the default target. The call is not repeated and not stored, and the setting `webhooksEnabled` has no effect. A failed call is part of the response, which has status 200. Each webhook-dispatcher admits at most 5 concurrent tests, and 1 test per second after a burst of 10. Further tests get the status 429 with `ttl`.',
  headers: Type.Object(timeoutHeader),
  body: WebhookTargetTest,
  optionalBody: true,
  responseDescription: 'Result of the call to the webhook target.',
  response: WebhookTargetTestResult,
  errors: ['UnsupportedOperation', 'WorkerNotAvailable', 'Timeout'],
})
