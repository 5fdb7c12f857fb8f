import type { Db } from '@posthorn/db'
import {
  type CallResult,
  type HttpCaller,
  type HttpOutcome,
  redactUrl,
  splitCredentials,
} from '@posthorn/net'
import type { Logger } from '@posthorn/telemetry'
import type { DispatcherMetrics } from '../metrics.ts'
import type { ClaimedDelivery } from '../store/deliveries.ts'
import { findDeliveryBody } from '../store/events.ts'
import type { DeliveryResult } from '../store/results.ts'
import type { CurrentTargets } from '../targets/current-target.ts'
import type { AllTargetOptions } from '../targets/options.ts'
import type { UnsealedTarget } from '../targets/unseal-target.ts'
import { isRoute, laneOf } from '../targets/target.ts'
import { type RetrySchedule, scheduleOf } from './retry-schedule.ts'
import type { AttemptCounter } from './attempt-counter.ts'
import { requestHeaders } from './headers.ts'
import { persist } from './persist.ts'
import type { SigningKeyCache } from './signing-keys.ts'
import { finalResult, releasedResult, nextState } from './delivery-state.ts'
import { warnSkippedHeaders } from './skipped-headers.ts'
import {
  sign,
  type SigningKeys,
  standardSecrets,
  standardSignature,
  standardTimestamp,
} from './signature.ts'

export interface AttemptDeps {
  db: Db
  counter: AttemptCounter
  http: HttpCaller
  secret: SigningKeyCache<SigningKeys>
  targets: CurrentTargets
  options: AllTargetOptions
  retryBaseMs: number
  metrics: DispatcherMetrics
  log: Logger
}

interface Delivering extends AttemptDeps {
  skipped: ReturnType<typeof warnSkippedHeaders>
}

interface Prepared {
  target: UnsealedTarget
  body: string
  keys: SigningKeys
  signal: AbortSignal
}

/**
 * Makes the next attempt at a delivery and says what to record. Undefined: another process has taken it over, there is nothing to record.
 *
 * The attempt is counted before the call. A crash after it repeats the attempt with the same ids and bytes, whatever the target had
 * answered: HTTP cannot say whether an answer was read.
 */
export function createAttempts(given: AttemptDeps) {
  const deps: Delivering = { ...given, skipped: warnSkippedHeaders(given.log) }
  return async (
    delivery: ClaimedDelivery,
    signal: AbortSignal,
  ): Promise<DeliveryResult | undefined> => {
    const { id } = delivery
    const trying = { signal, log: deps.log }
    const schedule = scheduleFor(deps, delivery.lane)
    try {
      // The process that made the last attempt died during it.
      if (delivery.attempts >= schedule.attempts) return finalResult(id, 'failed', 'interrupted')
      const keys = await deps.secret.get(signal)
      const target = await persist(() => deps.targets.resolve(delivery), trying)
      if (!target) return finalResult(id, 'dropped', 'no-target')
      const body =
        delivery.body ?? (await persist(() => findDeliveryBody(deps.db, delivery), trying))
      if (body === undefined) return finalResult(id, 'dropped', 'no-event')
      const attempts = await deps.counter.begin(delivery, signal)
      if (attempts === undefined) return undefined
      const call = await attempt(deps, { ...delivery, attempts }, { target, body, keys, signal })
      const ageMs = Date.now() - delivery.queuedAt.getTime()
      const result = nextState({ id, attempts, ageMs }, call, schedule)
      return deps.options.logsAttempts && result.outcome !== null
        ? { ...result, logged: { attempt: attempts, durationMs: call.durationMs } }
        : result
    } catch (error) {
      if (!signal.aborted) throw error
      return releasedResult(id, await deps.counter.cancelPrecount(id))
    }
  }
}

function scheduleFor({ options, retryBaseMs }: AttemptDeps, lane: string): RetrySchedule {
  return scheduleOf(options.of(lane).waitsMs, retryBaseMs)
}

async function attempt(
  deps: Delivering,
  delivery: ClaimedDelivery,
  prepared: Prepared,
): Promise<CallResult> {
  const { http, log, metrics } = deps
  const { target, body, signal } = prepared
  const { url, authorization } = splitCredentials(target.url)
  const { headers, skipped } = requestHeaders(
    {
      id: delivery.id,
      eventId: delivery.eventId,
      attemptsMade: delivery.attempts - 1,
      queuedMs: Date.now() - delivery.queuedAt.getTime(),
      ...signatures(delivery, prepared),
      ...(authorization === undefined ? {} : { authorization }),
      ...(isRoute(target.name) ? { route: target.name } : {}),
    },
    target.headers,
  )
  deps.skipped({ target: target.name, account: delivery.account, skipped })
  metrics.began(delivery)
  const call = target.unsealError
    ? lost(target.unsealError)
    : await http.call({ method: 'POST', url, headers, body, signal })
  metrics.ended(delivery.event, call)
  log.debug(
    {
      id: delivery.id,
      eventId: delivery.eventId,
      event: delivery.event,
      account: delivery.account,
      url: redactUrl(url),
      attempt: delivery.attempts,
      outcome: call.outcome,
      status: call.status,
    },
    'webhook',
  )
  return call
}

/** As a call that failed: it is tried again like all others, for the key may be brought back. */
function lost(error: string): CallResult {
  return { outcome: 'protocol', headers: {}, body: Buffer.alloc(0), durationMs: 0, error }
}

function signatures(
  { eventId, queuedAt }: ClaimedDelivery,
  { target, body, keys }: Pick<Prepared, 'target' | 'body' | 'keys'>,
) {
  const now = new Date()
  const message = { id: eventId, timestamp: standardTimestamp(queuedAt, now), body }
  const secrets = standardSecrets(keys, laneOf(target), now)
  const signature = standardSignature(message, secrets)
  return {
    signature: sign(body, keys.serviceSecret),
    standard: { id: message.id, timestamp: message.timestamp, signature },
  }
}

/** Whether an outcome shows a target that answers: dead ones get fewer calls at a time, then none for a while. */
export function didRespond(outcome: string | null): boolean {
  return !silent.has(outcome as HttpOutcome)
}

const silent = new Set<HttpOutcome>([
  'connect-timeout',
  'response-timeout',
  'dns',
  'refused',
  'unreachable',
  'reset',
  'tls',
])
