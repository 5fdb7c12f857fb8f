import { type Static, Type } from 'typebox'
import { Int, Strict, Text } from '../schemas/primitives.ts'

/**
 * URL that identifies webhook targets, without credentials and query. All targets with this URL
 * share their options and their key.
 */
const target = Text('URL of the target without credentials and query.', {
  maxLength: 1000,
  format: 'target-address',
})
/** Delays between the attempts to deliver a webhook. */
export const RetrySchedule = Type.Array(Type.Number({ minimum: 0.001, maximum: 604_800 }), {
  maxItems: 50,
  description:
    'Maximum delays in seconds after each failed attempt. The last attempt follows the last delay.',
})
/** Maximum number of concurrent requests to a webhook target. */
export const TargetConcurrency = Int('Concurrent requests of one process to one target.', {
  minimum: 1,
  maximum: 1_000,
})
/** Maximum rate of requests to a webhook target. */
export const TargetRate = Type.Number({
  minimum: 0.01,
  maximum: 100_000,
  description: 'Requests of one process to one target per second.',
})

/** Options of a single webhook target, where they differ from the default options. */
export const WebhookTargetOptions = Strict({
  target,
  retrySchedule: Type.Optional(RetrySchedule),
  concurrency: Type.Optional(TargetConcurrency),
  rate: Type.Optional(TargetRate),
})
export type WebhookTargetOptions = Static<typeof WebhookTargetOptions>

/** Secret key of one webhook target for the signature header `webhook-signature`. */
export const WebhookTargetSecret = Strict({
  target,
  secret: Text('Key of the signature.', { minLength: 1, maxLength: 1024 }),
})
export const WebhookTargetSecrets = Type.Array(WebhookTargetSecret, {
  maxItems: 100,
  description: 'Keys of single targets for `webhook-signature`, instead of the service secret.',
})
export type WebhookTargetSecret = Static<typeof WebhookTargetSecret>
