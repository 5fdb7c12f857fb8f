import type { Db } from '@posthorn/db'
import {
  type CallResult,
  type HttpCaller,
  type Outcome,
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
import type { OpenedTarget } from '../targets/open-target.ts'
import { isRoute, laneOf } from '../targets/target.ts'
import { type Schedule, scheduleOf } from './backoff.ts'
import type { AttemptCounter } from './counter.ts'
import { requestHeaders } from './headers.ts'
import { persist } from './persist.ts'
import type { ServiceSecret } from './service-secret.ts'
import { ended, released, settle } from './settle.ts'
import { tellSkipped } from './skipped-headers.ts'
import {
  sign,
  type SigningKeys,
  standardSecrets,
  standardSignature,
  standardTimestamp,
} from './signature.ts'

export interface DeliverDeps {
  db: Db
  counter: AttemptCounter
  http: HttpCaller
  secret: ServiceSecret<SigningKeys>
  targets: CurrentTargets
  options: AllTargetOptions
  retryBaseMs: number
  metrics: DispatcherMetrics
  log: Logger
}

interface Delivering extends DeliverDeps {
  skipped: ReturnType<typeof tellSkipped>
}

interface Prepared {
  target: OpenedTarget
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
export function deliver(given: DeliverDeps) {
  const deps: Delivering = { ...given, skipped: tellSkipped(given.log) }
  return async (
    delivery: ClaimedDelivery,
    signal: AbortSignal,
  ): Promise<DeliveryResult | undefined> => {
    const { id } = delivery
    const trying = { signal, log: deps.log }
    const schedule = scheduleFor(deps, delivery.lane)
    try {
      // The process that made the last attempt died during it.
      if (delivery.attempts >= schedule.attempts) return ended(id, 'failed', 'interrupted')
      const keys = await deps.secret.get(signal)
      const target = await persist(() => deps.targets.of(delivery), trying)
      if (!target) return ended(id, 'dropped', 'no-target')
      const body =
        delivery.body ?? (await persist(() => findDeliveryBody(deps.db, delivery), trying))
      if (body === undefined) return ended(id, 'dropped', 'no-event')
      const attempts = await deps.counter.begin(delivery, signal)
      if (attempts === undefined) return undefined
      const call = await attempt(deps, { ...delivery, attempts }, { target, body, keys, signal })
      const ageMs = Date.now() - delivery.queuedAt.getTime()
      const result = settle({ id, attempts, ageMs }, call, schedule)
      return deps.options.logsAttempts && result.outcome !== null
        ? { ...result, logged: { attempt: attempts, durationMs: call.durationMs } }
        : result
    } catch (error) {
      if (!signal.aborted) throw error
      return released(id, await deps.counter.takeBack(id))
    }
  }
}

function scheduleFor({ options, retryBaseMs }: DeliverDeps, lane: string): Schedule {
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
  const call = target.lost
    ? lost(target.lost)
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
export function answered(outcome: string | null): boolean {
  return !silent.has(outcome as Outcome)
}

const silent = new Set<Outcome>([
  'connect-timeout',
  'response-timeout',
  'dns',
  'refused',
  'unreachable',
  'reset',
  'tls',
])
