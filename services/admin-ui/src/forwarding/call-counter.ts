import type { Metrics } from '@posthorn/telemetry'
import type { AuditOutcome } from '../audit/audit-log.ts'

/**
 * Result of a forwarded call, the label of the metric that counts forwarded calls.
 *
 * | result | meaning |
 * |---|---|
 * | `done` | api-gateway has responded with success |
 * | `refused` | api-gateway has responded with 4xx |
 * | `failed` | api-gateway has responded with 5xx, or not at all |
 * | `ended` | the browser, the session or the process ended before a response |
 * | `limited` | too many concurrent calls of the session |
 * | `notRecorded` | the audit log could not be written, so the call was not forwarded |
 */
export type CallResult = 'done' | 'refused' | 'failed' | 'ended' | 'limited' | 'notRecorded'
export type CountCall = (result: CallResult) => void

/** Registers the metric of forwarded calls. Returns the function that counts a call. */
export function countCalls(metrics: Pick<Metrics, 'counter'>): CountCall {
  const counter = metrics.counter({
    name: 'admin_calls_total',
    help: 'Calls that were forwarded to api-gateway, or refused before, by result',
    labels: ['result'],
  })
  return (result) => counter.inc({ result })
}

/** Result of a forwarded call for the metric, from the outcome in the audit log. */
export function resultOf({ status }: AuditOutcome): CallResult {
  if (status === undefined) return 'ended'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'done'
}
