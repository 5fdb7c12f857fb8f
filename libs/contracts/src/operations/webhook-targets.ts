import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { timeoutHeader } from '../schemas/primitives.ts'
import { WebhookTargetTest, WebhookTargetTestResult } from '../schemas/webhook-target-test.ts'

export const testWebhookTarget = defineOperation({
  ...operationKinds('Webhooks', 'admin', '*').write,
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
