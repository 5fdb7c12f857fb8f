import type { OperationId } from '@posthorn/contracts/operations'

/** Operations whose responses contain mail or parts of it. */
const mailOperations = new Set<string>([
  'downloadExport',
  'getAttachment',
  'getLogs',
  'getMessage',
  'getMessageSource',
  'getOAuthToken',
  'getText',
  'getWebhookDelivery',
  'listMessages',
  'searchMessages',
] satisfies OperationId[])

/** True if the responses of an operation contain mail. */
export function readsMail(operationId: string): boolean {
  return mailOperations.has(operationId)
}
