import type {
  ListWebhookTargetsInput,
  ListWebhookTargetsResult,
  TestWebhookTargetResult,
} from '@posthorn/client'
import {
  getSettings,
  listWebhookTargets,
  testWebhookTarget,
  updateSettings,
} from '@posthorn/client/operations'
import type { Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { useLoad } from '../use-load.ts'
import { type TargetOptionList, type TargetPause, withPause } from './target-pauses.ts'

/** Webhook target in the list of targets. */
export type Target = ListWebhookTargetsResult['targets'][number]
/** Result of a test call to a webhook target. */
export type TargetTest = TestWebhookTargetResult

/** Cache key of the webhook targets. */
export const targetsKey = ['webhook-targets'] as const

/** Loads a page of the list of webhook targets. */
export function useTargets(input: ListWebhookTargetsInput): Load<ListWebhookTargetsResult> {
  return useLoad([...targetsKey, input], () => listWebhookTargets(calls.api, input), {
    everyMs: 10_000,
  })
}

/**
 * Pauses a webhook target, or ends its pause. The setting is read immediately before the change,
 * because the change replaces the options of all targets.
 */
export async function changePause(pause: TargetPause): Promise<void> {
  const { webhookTargets } = await getSettings(calls.api, { webhookTargets: true })
  const options = (webhookTargets ?? []) as TargetOptionList
  await updateSettings(calls.api, { body: { webhookTargets: withPause(options, pause) } })
}

/** Sends a signed test event to a webhook target. Without a URL, to the default target. */
export const testTarget = (url?: string): Promise<TargetTest> =>
  testWebhookTarget(calls.api, { body: url === undefined ? {} : { url } })
