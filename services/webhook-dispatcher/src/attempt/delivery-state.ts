import type { CallResult } from '@posthorn/net'
import type { DeliveryResult } from '../store/results.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import { parseRetryAfter } from './retry-after.ts'

/** Of an answer as much is kept as tells a person what the target had to say. */
const maxResponse = 2_000
const maxError = 500
/** What the proxy does wrong is not counted on the first day of a delivery. */
const proxyPatienceMs = 86_400_000
const maxProxyWaitMs = 300_000

export interface Attempt {
  id: string
  /** This one included. */
  attempts: number
  /** Since it was queued. */
  ageMs?: number
}

/** What an attempt makes of its delivery: delivered, waiting for the next attempt, or failed for good. */
export function nextState(
  attempt: Attempt,
  call: CallResult,
  schedule: RetrySchedule,
): DeliveryResult {
  const { outcome } = call
  const told = resultFields(attempt.id, call)
  if (outcome === '2xx') return { ...told, state: 'delivered' }
  // Cut off by ourselves: no fault of the target's, and not its attempt.
  if (outcome === 'aborted') return releasedResult(attempt.id, true)
  // No fault of the target's either, for as long as that can be believed: a proxy may mean that it cannot reach the target.
  const { ageMs = 0 } = attempt
  if (outcome === 'proxy-fault' && ageMs < proxyPatienceMs) {
    const waitMs = Math.max(schedule.delayMs(1), Math.min(ageMs / 4, maxProxyWaitMs))
    return { ...told, state: 'due', waitMs, uncounted: true }
  }
  if (isFinal(outcome)) return { ...told, state: 'failed' }
  return { ...told, ...scheduleRetry(attempt, call, schedule) }
}

/** What is known of the target from a call, as it is recorded. */
function resultFields(id: string, { outcome, status, body, error }: CallResult) {
  return {
    id,
    outcome,
    status: status ?? null,
    error: error === undefined ? null : storable(error, maxError),
    response: status === undefined ? null : storable(body.toString('utf8'), maxResponse),
    waitMs: 0,
    uncounted: false,
  }
}

/** After a failure that may not be one the next time. */
function scheduleRetry(
  { attempts }: Attempt,
  { status, headers }: CallResult,
  schedule: RetrySchedule,
): Pick<DeliveryResult, 'state' | 'waitMs' | 'pauseMs'> {
  const asked = parseRetryAfter(headers['retry-after'])
  const pause = asked === undefined || !isBusy(status) ? {} : { pauseMs: asked }
  if (attempts >= schedule.attempts) return { ...pause, state: 'failed', waitMs: 0 }
  return { ...pause, state: 'due', waitMs: Math.max(schedule.delayMs(attempts), asked ?? 0) }
}

/** RFC 6585 §4, RFC 9110 §15.6.4: said of the target as a whole, not of one delivery. */
function isBusy(status: number | undefined): boolean {
  return status === 429 || status === 503
}

/** Refusals that another attempt would only repeat. Interface spec, "Delivery" 4. */
function isFinal(outcome: CallResult['outcome']): boolean {
  return outcome === 'redirect-refused' || outcome === 'egress-blocked'
}

/** Given back for anybody to take. `begun`: its attempt was counted, and is not to be. */
export function releasedResult(id: string, begun: boolean): DeliveryResult {
  return {
    id,
    state: 'due',
    waitMs: 0,
    uncounted: begun,
    outcome: null,
    status: null,
    error: null,
    response: null,
  }
}

/** Ended without a call: its target or its event is gone, or the process died during its last attempt. */
export function finalResult(
  id: string,
  state: 'dropped' | 'failed',
  outcome: string,
): DeliveryResult {
  return {
    id,
    state,
    waitMs: 0,
    uncounted: false,
    outcome,
    status: null,
    error: null,
    response: null,
  }
}

/** Postgres text cannot hold U+0000. */
function storable(text: string, length: number): string {
  return text.replaceAll('\0', '').slice(0, length).toWellFormed()
}
