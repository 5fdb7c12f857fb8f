import { type Static, Type } from 'typebox'
import { Bool, Int, Strict, Text } from '../schemas/primitives.ts'

/**
 * URL that identifies webhook targets, without credentials and query. All targets with this URL
 * share their options and their key.
 */
const target = Text(
  'URL of the webhook target without login and query. Applies to every target with this URL: the default target, targets of accounts, and targets of webhook routes. Their logins and queries may differ.',
  {
    maxLength: 1000,
    format: 'target-address',
  },
)
/** Delays in seconds between the attempts to deliver a webhook. */
export const RetrySchedule = Type.Array(Type.Number({ minimum: 0.001, maximum: 604_800 }), {
  maxItems: 50,
  description:
    'Delays in seconds after failed attempts to deliver a webhook, such as `[5, 60, 3600]` for at most 4 attempts. Each delay is shortened by up to 20 % at random. Defaults to 9 delays: 5 s, then twice the previous delay.',
})
/** Maximum number of concurrent requests to a webhook target. */
export const TargetConcurrency = Int(
  'Maximum number of concurrent webhook requests of each webhook-dispatcher process to the same target. Defaults to the variable `SVC_WEBHOOK_TARGET_CONCURRENCY`.',
  {
    minimum: 1,
    maximum: 1_000,
  },
)
/** Maximum rate of requests to a webhook target. */
export const TargetRate = Type.Number({
  minimum: 0.01,
  maximum: 100_000,
  description:
    'Maximum number of webhook requests per second of each webhook-dispatcher process to the same target. No limit by default.',
})

/** Options of a single webhook target, where they differ from the default options. */
export const WebhookTargetOptions = Strict({
  target,
  retrySchedule: Type.Optional(RetrySchedule),
  concurrency: Type.Optional(TargetConcurrency),
  rate: Type.Optional(TargetRate),
  paused: Type.Optional(
    Bool(
      'If true, no webhook request is sent to the target, except requests that have started and test requests. Its deliveries are stored without a limit of time and are sent after the end of the pause. Other targets are not affected. Defaults to false.',
    ),
  ),
})
export type WebhookTargetOptions = Static<typeof WebhookTargetOptions>

/** Secret key of one webhook target for the signature header `webhook-signature`. */
export const WebhookTargetSecret = Strict({
  target,
  secret: Text(
    'Secret key for the header `webhook-signature` of requests to the target. Stored encrypted.',
    { minLength: 1, maxLength: 1024 },
  ),
})
export const WebhookTargetSecrets = Type.Array(WebhookTargetSecret, {
  maxItems: 100,
  description:
    'Secret keys for the header `webhook-signature`, by webhook target. For other targets, the setting `serviceSecret` is the key. A new list replaces the whole list.',
})
export type WebhookTargetSecret = Static<typeof WebhookTargetSecret>
