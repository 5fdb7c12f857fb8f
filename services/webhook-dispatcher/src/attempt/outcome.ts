import { defined } from '@posthorn/contracts/defined'
import type { CallResult } from '@posthorn/net/http-caller'
import type { HttpOutcome } from '@posthorn/net/outcome'
import { type DeliveryResult, type DeliveryTrigger, transition } from '../store/delivery-state.ts'
import type { RetrySchedule } from '../targets/options.ts'

/**
 * Error of a webhook delivery attempt that was not made: no request was sent. With the trigger
 * `expire`, another process has claimed the delivery.
 */
export class PreAttemptError extends Error {
  readonly trigger: 'drop' | 'exhaust' | 'expire'

  constructor(trigger: 'drop' | 'exhaust' | 'expire', outcome: string) {
    super(outcome)
    this.trigger = trigger
  }
}

/**
 * Error of a delivery attempt whose call was made or interrupted: the webhook target did not accept
 * the delivery.
 */
export class AttemptError extends Error {
  readonly attempt: Attempt
  readonly call: CallResult

  constructor(attempt: Attempt, call: CallResult) {
    super(call.error ?? call.outcome)
    this.attempt = attempt
    this.call = call
  }
}

/**
 * Error of a webhook delivery attempt whose result was not committed. The delivery stays claimed by
 * this process until the lease ends.
 */
export class RecordError extends Error {}

export interface Attempt {
  id: string
  /** Number of the webhook delivery attempt, counted from 1. */
  attempts: number
  /** Age of the webhook delivery: time since the delivery was queued. */
  ageMs?: number
}

/** Maximum stored characters of a webhook target's response, and of an error. */
const maxResponse = 2_000
const maxError = 500
/**
 * Age of a webhook delivery up to which faults of the operator's HTTP proxy are not counted as
 * attempts.
 */
const proxyFaultGraceMs = 86_400_000
const maxProxyFaultDelayMs = 300_000
/** Maximum delay that a webhook target can request with `Retry-After`. */
const maxRetryAfterMs = 3_600_000

/**
 * Result of a webhook delivery attempt: the next state of the delivery, and the delay of the next
 * attempt.
 */
export function nextState(
  attempt: Attempt,
  call: CallResult,
  schedule: RetrySchedule,
): DeliveryResult {
  const trigger = triggerOf(attempt, call, schedule)
  if (trigger === 'cancel') return releasedResult(attempt.id, true)
  const result = { ...resultFields(attempt.id, call), state: transition('attempting', trigger) }
  if (trigger === 'accept') return result
  if (trigger === 'excuse')
    return { ...result, waitMs: excusedDelayMs(attempt, schedule), uncounted: true }
  return { ...result, ...scheduleRetry(attempt, call, trigger === 'retry' ? schedule : undefined) }
}

function triggerOf(
  { attempts, ageMs = 0 }: Attempt,
  { outcome }: CallResult,
  schedule: RetrySchedule,
): DeliveryTrigger<'attempting'> {
  if (outcome === '2xx') return 'accept'
  // A call that the shutdown of this process aborted is no failure of the webhook target, and is
  // not counted as an attempt.
  if (outcome === 'aborted') return 'cancel'
  // Webhook attempts that fail because of the HTTP proxy are excused for a limited time only,
  // because the proxy may also fail if the webhook target is unreachable.
  if (outcome === 'proxy-fault' && ageMs < proxyFaultGraceMs) return 'excuse'
  return isPermanent(outcome) || attempts >= schedule.attempts ? 'fail' : 'retry'
}

/**
 * True for responses of a webhook target that every further attempt would repeat. Interface spec,
 * "Delivery" 4.
 */
function isPermanent(outcome: HttpOutcome): boolean {
  return outcome === 'redirect-refused' || outcome === 'egress-blocked'
}

function excusedDelayMs({ ageMs = 0 }: Attempt, schedule: RetrySchedule): number {
  return Math.max(schedule.delayMs(1), Math.min(ageMs / 4, maxProxyFaultDelayMs))
}

/**
 * Delay of the next attempt of a delivery, if there is a retry schedule, and time for which calls
 * of the webhook target are suspended.
 */
function scheduleRetry(
  { attempts }: Attempt,
  { status, headers }: CallResult,
  schedule: RetrySchedule | undefined,
): Pick<DeliveryResult, 'waitMs' | 'suspendMs'> {
  const retryAfterMs = parseRetryAfter(headers['retry-after'])
  // Statuses 429 and 503 (RFC 6585 §4, RFC 9110 §15.6.4) concern the webhook target, not one
  // delivery.
  const isBusy = status === 429 || status === 503
  return defined({
    waitMs: schedule ? Math.max(schedule.delayMs(attempts), retryAfterMs ?? 0) : 0,
    suspendMs: isBusy ? retryAfterMs : undefined,
  })
}

/**
 * Delay that a webhook target requested by `Retry-After` (RFC 9110 §10.2.3), limited to
 * `maxRetryAfterMs`. Undefined if the header is invalid.
 */
function parseRetryAfter(value: string | undefined): number | undefined {
  const text = value?.trim() ?? ''
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : parseHttpDate(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs)
}

/** Parses an HTTP-date, which ends in GMT. `Date.parse` alone accepts other formats. */
function parseHttpDate(text: string): number {
  return /^[A-Za-z]{3,9}, .{1,40} GMT$/.test(text) ? Date.parse(text) : Number.NaN
}

/** Columns of a webhook delivery that describe the last response of the target. */
function resultFields(id: string, call: CallResult) {
  const { durationMs } = call
  return { id, ...responseFields(call), durationMs, waitMs: 0, uncounted: false }
}

/** Response of a webhook target to a call, with texts of limited length. */
export function responseFields({ outcome, status, body, error }: CallResult) {
  return {
    outcome,
    status: status ?? null,
    error: error === undefined ? null : storable(error, maxError),
    response: status === undefined ? null : storable(body.toString('utf8'), maxResponse),
  }
}

const noCall = { waitMs: 0, status: null, error: null, response: null, durationMs: null }

/**
 * Result that ends the claim of a webhook delivery, so that any process may claim the delivery
 * again. `uncounted`: subtracts the attempt of the claim.
 */
export function releasedResult(id: string, uncounted: boolean): DeliveryResult {
  const state = transition('claimed', 'release')
  return { ...noCall, id, state, uncounted, outcome: null }
}

/**
 * Delay of a delivery whose webhook target has moved to a paused address. The delivery stays in the
 * lane (queue) of the earlier address, which is not paused.
 */
const movedDelayMs = 5_000

/**
 * Result of a webhook delivery attempt without a call, because the address of the target is paused.
 * The pause began during the preparation of the attempt, or the target moved to this address after
 * the delivery was queued. The attempt is not counted.
 */
export function pausedResult(
  { id, lane }: { id: string; lane: string },
  address: string,
): DeliveryResult {
  return { ...releasedResult(id, true), waitMs: address === lane ? 0 : movedDelayMs }
}

/** Result that ends a webhook delivery without a call of the webhook target. */
export function finalResult(
  id: string,
  trigger: 'drop' | 'exhaust',
  outcome: string,
): DeliveryResult {
  return { ...noCall, id, state: transition('claimed', trigger), uncounted: false, outcome }
}

/** Text in the form that Postgres can store: without U+0000, and of limited length. */
function storable(text: string, maxLength: number): string {
  return text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()
}

/** Effect of a delivery attempt on the throttle that limits the calls of the webhook target. */
export interface TargetFeedback {
  /** False if the webhook target was unreachable or did not respond in time. */
  responded: boolean
  /** Time for which the webhook target asked for no calls. */
  suspendMs?: number
}

const silentOutcomes: ReadonlySet<string> = new Set<HttpOutcome>([
  'connect-timeout',
  'response-timeout',
  'dns',
  'refused',
  'unreachable',
  'reset',
  'tls',
])

export function targetFeedback({ outcome, suspendMs }: DeliveryResult): TargetFeedback {
  return defined({ responded: !silentOutcomes.has(outcome ?? ''), suspendMs })
}
