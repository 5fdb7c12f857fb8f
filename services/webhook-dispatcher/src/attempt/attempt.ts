import { defined } from '@posthorn/contracts/defined'
import { targetAddress } from '@posthorn/contracts/target-address'
import type { CallResult, HttpCaller } from '@posthorn/net/http-caller'
import { redactUrl, splitCredentials } from '@posthorn/net/url'
import type { Logger } from '@posthorn/telemetry'
import type { BodyMemory, LoadedBody } from '../store/bodies.ts'
import { type ClaimedDelivery, isRoute } from '../store/deliveries.ts'
import type { DeliveryResult } from '../store/delivery-state.ts'
import type { AllTargetOptions } from '../targets/options.ts'
import type { Targets, UnsealedTarget } from '../targets/targets.ts'
import { requestHeaders, warnSkippedHeaders } from './headers.ts'
import {
  type Attempt,
  AttemptError,
  finalResult,
  nextState,
  pausedResult,
  PreAttemptError,
  releasedResult,
} from './outcome.ts'
import { type AttemptRecorder, untilAvailable } from './recorder.ts'
import {
  sign,
  type SigningKeyCache,
  type SigningKeys,
  standardSecrets,
  standardSignature,
  standardTimestamp,
} from './signing.ts'

/** Metrics of webhook delivery attempts. */
export interface AttemptMetrics {
  attemptStarted(delivery: ClaimedDelivery): void
  attemptEnded(event: string, call: CallResult): void
}

export interface AttemptDeps {
  bodies: BodyMemory
  recorder: Pick<AttemptRecorder, 'begin' | 'cancelPrecount'>
  http: HttpCaller
  keys: SigningKeyCache
  targets: Targets
  options: AllTargetOptions
  metrics: AttemptMetrics
  log: Logger
}

/** Makes the next attempt of a webhook delivery and returns the result to record. */
export type AttemptDelivery = (
  delivery: ClaimedDelivery,
  signal: AbortSignal,
) => Promise<DeliveryResult>

interface Prepared extends LoadedBody, PreparedWebhook {}

/** Body, target and signing keys of a call to a webhook target. */
export interface PreparedWebhook {
  body: string
  target: UnsealedTarget
  keys: SigningKeys
  /** Timeout of the webhook call. Absent: the timeout of all calls. */
  timeoutMs?: number
}

/** Fields of a webhook delivery, or of a test call, that are part of the request to the target. */
export type SentDelivery = Pick<
  ClaimedDelivery,
  'id' | 'eventId' | 'event' | 'account' | 'attempts' | 'queuedAt'
>

/** Result of a call to a webhook target. */
export interface SentWebhook {
  call: CallResult
  /** Names of the custom webhook headers that cannot be sent. */
  skipped: readonly string[]
}

/**
 * Creates the function that makes webhook delivery attempts: prepares and counts the attempt, calls
 * the target, classifies the response. The attempt's count is committed before the call. A crash
 * after the call repeats the attempt with the same ids and bytes, whatever the response was.
 *
 * The created function throws `PreAttemptError` if another process claimed the delivery. No result
 * is then recorded.
 */
export function createAttempts(deps: AttemptDeps): AttemptDelivery {
  const { recorder, options, metrics } = deps
  const send = createSender(deps)
  return async (delivery, signal) => {
    const { id } = delivery
    const schedule = options.scheduleOf(delivery.lane)
    const toResult = (attempt: Attempt, call: CallResult): DeliveryResult => {
      const result = nextState(attempt, call, schedule)
      if (!options.logsAttempts || result.outcome === null) return result
      return { ...result, loggedAttempt: attempt.attempts }
    }
    try {
      if (delivery.attempts >= schedule.attempts)
        throw new PreAttemptError('exhaust', 'interrupted')
      using prepared = await prepare(deps, delivery, signal)
      const attempts = await recorder.begin(delivery, signal)
      if (attempts === undefined) throw new PreAttemptError('expire', 'claim-lost')
      const address = targetAddress(prepared.target.url)
      if (options.of(address).paused) return pausedResult(delivery, address)
      metrics.attemptStarted({ ...delivery, attempts })
      const { call } = await send({ ...delivery, attempts }, prepared, signal)
      metrics.attemptEnded(delivery.event, call)
      const attempt = { id, attempts, ageMs: Date.now() - delivery.queuedAt.getTime() }
      if (call.outcome !== '2xx') throw new AttemptError(attempt, call)
      return toResult(attempt, call)
    } catch (error) {
      if (error instanceof AttemptError) return toResult(error.attempt, error.call)
      if (error instanceof PreAttemptError && error.trigger !== 'expire')
        return finalResult(id, error.trigger, error.message)
      if (!signal.aborted || error instanceof PreAttemptError) throw error
      return releasedResult(id, await recorder.cancelPrecount(id))
    }
  }
}

async function prepare(
  { bodies, keys, targets, log }: AttemptDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Prepared> {
  const signingKeys = await keys.get(signal)
  const target = await untilAvailable(() => targets.resolve(delivery), { signal, log })
  if (!target) throw new PreAttemptError('drop', 'no-target')
  const prepared = { target, keys: signingKeys }
  if (delivery.body !== null)
    return { ...prepared, body: delivery.body, [Symbol.dispose]: () => undefined }
  const load = () => bodies.load(delivery.lane, delivery, signal)
  const loaded = await untilAvailable(load, { signal, log })
  if (loaded === undefined) throw new PreAttemptError('drop', 'no-event')
  if (loaded === 'too-large') throw new PreAttemptError('exhaust', 'too-large')
  return { ...prepared, ...loaded }
}

/** Creates the function that calls webhook targets, for attempts of deliveries and for tests. */
export function createSender({
  http,
  options,
  log,
}: Pick<AttemptDeps, 'http' | 'options' | 'log'>) {
  const warnSkipped = warnSkippedHeaders(log)
  return async (
    delivery: SentDelivery,
    prepared: PreparedWebhook,
    signal: AbortSignal,
  ): Promise<SentWebhook> => {
    const { target, body, timeoutMs } = prepared
    const { id, eventId, event, account, attempts } = delivery
    const { url, authorization } = splitCredentials(target.url)
    const values = {
      id,
      eventId,
      attemptsMade: attempts - 1,
      queuedMs: Date.now() - delivery.queuedAt.getTime(),
      ...signatures(delivery, prepared),
      authorization,
      route: isRoute(target.name) ? target.name : undefined,
      serviceUrl: options.serviceUrl,
      headerAlias: options.headerAlias,
    }
    const { headers, skipped } = requestHeaders(defined(values), target.headers)
    warnSkipped({ target: target.name, account, skipped })
    const call =
      target.unsealError === undefined
        ? await http.call({ method: 'POST', url, headers, body, signal, ...defined({ timeoutMs }) })
        : unsealFailure(target.unsealError)
    const { outcome, status } = call
    const fields = { id, eventId, event, account, url: redactUrl(url), attempt: attempts }
    log.debug({ ...fields, outcome, status }, 'webhook attempt ended')
    return { call, skipped }
  }
}

/**
 * Result of a delivery attempt without a request, because the login or a header of the webhook
 * target cannot be unsealed (decrypted). The attempt is retried: the operator may restore the key.
 */
function unsealFailure(error: string): CallResult {
  return { outcome: 'protocol', headers: {}, body: Buffer.alloc(0), durationMs: 0, error }
}

function signatures({ eventId, queuedAt }: SentDelivery, { target, body, keys }: PreparedWebhook) {
  const now = new Date()
  const message = { id: eventId, timestamp: standardTimestamp(queuedAt, now), body }
  const secrets = standardSecrets(keys, targetAddress(target.url), now)
  const signature = standardSignature(message, secrets)
  return {
    signature: sign(body, keys.serviceSecret),
    standard: { id: message.id, timestamp: message.timestamp, signature },
  }
}
