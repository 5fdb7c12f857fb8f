import type { CallResult } from '@posthorn/net'
import type { DeliveryResult } from '../store/results.ts'
import type { Schedule } from './backoff.ts'
import { parseRetryAfter } from './retry-after.ts'

/** Of an answer as much is kept as tells a person what the target had to say. */
const maxResponse = 2_000
const maxError = 500

export interface Attempt {
  id: string
  /** This one included. */
  attempts: number
}

/** What an attempt makes of its delivery: delivered, waiting for the next attempt, or failed for good. */
export function settle(
  { id, attempts }: Attempt,
  call: CallResult,
  schedule: Schedule,
): DeliveryResult {
  const { outcome, status, body, error } = call
  const told = {
    id,
    outcome,
    status: status ?? null,
    error: error === undefined ? null : storable(error, maxError),
    response: status === undefined ? null : storable(body.toString('utf8'), maxResponse),
  }
  if (outcome === '2xx') return { ...told, state: 'delivered', waitMs: 0, uncounted: false }
  // Cut off by ourselves: no fault of the target's, and not its attempt.
  if (outcome === 'aborted') return released(id, true)
  if (isFinal(outcome)) return { ...told, state: 'failed', waitMs: 0, uncounted: false }
  const asked = parseRetryAfter(call.headers['retry-after'])
  const pause = asked === undefined || !isBusy(status) ? {} : { pauseMs: asked }
  if (attempts >= schedule.attempts)
    return { ...told, ...pause, state: 'failed', waitMs: 0, uncounted: false }
  const waitMs = Math.max(schedule.waitMs(attempts), asked ?? 0)
  return { ...told, ...pause, state: 'due', waitMs, uncounted: false }
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
export function released(id: string, begun: boolean): DeliveryResult {
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
export function ended(id: string, state: 'dropped' | 'failed', outcome: string): DeliveryResult {
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
