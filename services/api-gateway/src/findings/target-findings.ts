import { defined } from '@posthorn/contracts/defined'
import type { Finding } from '@posthorn/contracts/schemas/finding'
import type { FailingTarget } from '../store/installation/findings.ts'
import type { PausedTarget } from '../store/webhooks/webhook-targets.ts'

/** Number of failed deliveries in an hour from which a failing webhook target is an error. */
const manyFailures = 10

/** Findings about webhook targets whose deliveries failed in the last hour. */
export function targetFindings(targets: readonly FailingTarget[]): Finding[] {
  return targets.map(({ lane, failed, oldestAt, lastOutcome }) => ({
    id: `webhookTargetFailing:${lane}`,
    level: failed >= manyFailures ? 'error' : 'warning',
    title: `Webhook target ${lane} fails`,
    detail: `Webhook deliveries that used up their attempts in the last hour: ${failed}. Last outcome: ${lastOutcome ?? 'unknown'}.`,
    remedy: 'Repair the receiver, test it with a test event, then replay the failed deliveries.',
    count: failed,
    since: oldestAt.toISOString(),
  }))
}

/**
 * Age of the oldest waiting delivery from which the pause of a webhook target is a warning: the
 * pause may have been forgotten. The work on a receiver usually takes less time.
 */
const forgottenMs = 3_600_000

/** Findings about webhook targets that operators have paused. */
export function pausedTargetFindings(targets: readonly PausedTarget[], now: number): Finding[] {
  return targets.map(({ address, due, oldestDueAt }) => {
    const waitsLong = oldestDueAt !== null && now - oldestDueAt.getTime() >= forgottenMs
    return defined({
      id: `webhookTargetPaused:${address}`,
      level: waitsLong ? ('warning' as const) : ('info' as const),
      title: `Webhook target ${address} is paused`,
      detail: `Webhook deliveries that wait for the end of the pause: ${due}. They and their events are stored until then.`,
      remedy:
        'Resume the target once the receiver works again: remove paused of the target from the setting webhookTargets.',
      count: due,
      since: oldestDueAt?.toISOString(),
    })
  })
}
