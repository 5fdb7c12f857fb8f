export type { Binary, Base64 } from './calls/json-body.ts'
export type { ErrorCode } from './calls/generated/error-codes.ts'
export {
  type Problem,
  PosthornConnectionError,
  PosthornError,
  type RejectedInput,
} from './calls/errors.ts'
export type { CallOptions, ClientOptions } from './create-client.ts'
export type { Change, ChangesInput, HistoryLost } from './changes.ts'
export { type Methods, Posthorn } from './posthorn.ts'
export {
  fetchWebhookHandler,
  nodeWebhookHandler,
  type WebhookHandlerOptions,
} from './webhooks/handlers.ts'
export {
  type EventOf,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhooks/verify-webhook.ts'
export type * from './generated/events.ts'
export type * from './generated/inputs.ts'
export type * from './generated/schemas.ts'
