import type { WebhookTargetOptions } from './settings/webhook-targets.ts'

/**
 * Address of a webhook target: the URL without login and query, which may be secret. Names the lane
 * in which the deliveries to the target are queued.
 */
export function targetAddress(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.slice(0, 1_000)
}

/**
 * Address of the webhook target that a filter names. Any spelling of a URL is accepted, as in the
 * setting `webhookTargets`. A text that is no URL stays unchanged and matches no target.
 */
export function filterAddress(text: string): string {
  return URL.canParse(text) ? targetAddress(text) : text
}

/**
 * Options of single webhook targets (setting `webhookTargets`), by address. A later entry of the
 * setting replaces an earlier entry with the same address.
 */
export function optionsByAddress(
  entries: readonly WebhookTargetOptions[] = [],
): ReadonlyMap<string, WebhookTargetOptions> {
  return new Map(entries.map((entry) => [targetAddress(entry.target), entry]))
}
