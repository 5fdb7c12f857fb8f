import type { Finding } from '@posthorn/contracts/schemas/finding'
import type { FailingTarget } from '../store/findings.ts'

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
