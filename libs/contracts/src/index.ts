export { addressKey } from './address-key.ts'
export * from './broker-access.ts'
export * from './commands/index.ts'
export {
  type Action,
  type Command,
  type CommandRequest,
  type CommandResponse,
  defineCommand,
  defineEvent,
  defineOperation,
  type EventContract,
  type Group,
  type Operation,
  type OperationInput,
  type OperationOutput,
} from './define.ts'
export { type Defined, defined } from './defined.ts'
export * from './events/index.ts'
export { type ForwardedOperation, isForwarded, toCommandRequest } from './forwarding.ts'
export * from './hints.ts'
export { allOperations, type OperationId, operations } from './operations/index.ts'
export { buildOpenApi } from './openapi/build.ts'
export * from './services.ts'
export * from './schemas/account.ts'
export * from './schemas/account-oauth2.ts'
export * from './schemas/attachment.ts'
export * from './schemas/authentication-form.ts'
export * from './schemas/calendar.ts'
export * from './schemas/changes.ts'
export * from './schemas/content.ts'
export * from './schemas/flag-update.ts'
export * from './schemas/gateway.ts'
export * from './schemas/mail-server.ts'
export * from './schemas/message.ts'
export * from './schemas/message-moves.ts'
export * from './schemas/oauth2-app.ts'
export * from './schemas/outbox.ts'
export * from './schemas/primitives.ts'
export * from './schemas/queue.ts'
export * from './schemas/reference.ts'
export * from './schemas/search.ts'
export * from './schemas/smtp-status.ts'
export * from './schemas/stats.ts'
export * from './schemas/submission.ts'
export * from './schemas/summary.ts'
export * from './schemas/template.ts'
export * from './schemas/token.ts'
export * from './schemas/token-request.ts'
export * from './schemas/verification.ts'
export * from './schemas/upload.ts'
export type { WebhookReplayFilter } from './schemas/webhook-delivery.ts'
export * from './schemas/webhook-route.ts'
export * from './settings/settings.ts'
export { unsupportedSettings } from './settings/unsupported-settings.ts'
export * from './shards.ts'
export { type FieldError, fieldError } from './describe-error.ts'
export { parseDate } from './formats.ts'
export { check, validationError, matches, precompile } from './validate.ts'
