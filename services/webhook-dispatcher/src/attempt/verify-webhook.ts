import { randomUUID } from 'node:crypto'
import { type CommandHandler, on } from '@posthorn/bus'
import { verifyWebhook } from '@posthorn/contracts/commands/verify'
import { defined } from '@posthorn/contracts/defined'
import type { Envelope } from '@posthorn/contracts/events/envelope'
import type { WebhookTargetTestResult } from '@posthorn/contracts/schemas/webhook-target-test'
import { targetAddress } from '@posthorn/contracts/target-address'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { RateLimiter, Semaphore } from '@posthorn/flow'
import type { HttpCaller } from '@posthorn/net/http-caller'
import type { Logger } from '@posthorn/telemetry'
import type { AllTargetOptions } from '../targets/options.ts'
import type { UnsealedTarget } from '../targets/targets.ts'
import { type FindTestTarget, testEvent } from '../targets/test-target.ts'
import { createSender, type SentDelivery, type SentWebhook } from './attempt.ts'
import { responseFields } from './outcome.ts'
import type { SigningKeyCache } from './signing.ts'

/**
 * Maximum concurrent test calls of webhook targets by this process. A target that does not respond
 * occupies a permit for the whole timeout.
 */
const maxConcurrent = 5
/**
 * Maximum test calls of webhook targets by this process per second, after a burst of `burst` calls.
 */
const perSecond = 1
const burst = 10
/**
 * Part of the time limit of a webhook test call that is reserved for the reply to the requester.
 */
const replyMarginMs = 1_000

export interface VerifyWebhookDeps {
  settings: SettingsCache
  findTarget: FindTestTarget
  keys: SigningKeyCache
  http: HttpCaller
  options: AllTargetOptions
  /** Timeout of a call to a webhook target. */
  timeoutMs: number
  log: Logger
}

/**
 * Sends a test event to a webhook target by the code of delivery attempts, without a delivery: no
 * row, metric, lane or throttle changes.
 */
export function onVerifyWebhook(deps: VerifyWebhookDeps): CommandHandler {
  const { settings, findTarget, keys, options } = deps
  const admit = createAdmission()
  const send = createSender(deps)
  return on(verifyWebhook, async (request, { signal, deadline }) => {
    using _permit = admit()
    // Waits until auth-bridge can be reached, which `findTarget` needs for logins in the URLs of
    // webhook targets.
    const signingKeys = await keys.get(signal)
    const target = await findTarget(request)
    if (!target) return {}
    // The test call of a webhook target uses the current settings, which `findTarget` has read.
    await options.refresh()
    const { account = '' } = request
    const { serviceUrl } = await settings.get()
    const remainingMs = Math.max(1, deadline - Date.now() - replyMarginMs)
    const prepared = {
      target,
      body: composeTestBody(account, serviceUrl),
      keys: signingKeys,
      timeoutMs: Math.min(deps.timeoutMs, remainingMs),
    }
    const delivery = testDelivery(account)
    const sent = await send(delivery, prepared, signal)
    return { result: describeResult(sent, { target, eventId: delivery.eventId }) }
  })
}

/**
 * Limits concurrent test calls of webhook targets and their rate. @throws AppError `rate-limited`
 */
function createAdmission(): () => Disposable {
  const permits = new Semaphore(maxConcurrent)
  const rate = new RateLimiter({ perSecond, burst })
  return () => {
    const permit = permits.tryAcquire()
    if (!permit) throw tooManyTests(1)
    if (rate.tryAcquire()) return permit
    permit[Symbol.dispose]()
    throw tooManyTests(Math.max(1, Math.ceil(rate.delayMs / 1_000)))
  }
}

function tooManyTests(ttl: number): AppError {
  const message = 'Too many tests of webhook targets, retry after ttl seconds'
  return new AppError('rate-limited', message, { extras: { ttl } })
}

/** Webhook body of a test event. `nonce` shows the receiver which test sent the body. */
function composeTestBody(account: string, serviceUrl: string | null | undefined): string {
  const envelope: Envelope = {
    serviceUrl: serviceUrl || null,
    account,
    date: new Date().toISOString(),
    event: testEvent,
    data: { nonce: randomUUID() },
  }
  return JSON.stringify(envelope)
}

function testDelivery(account: string): SentDelivery {
  const ids = { id: randomUUID(), eventId: randomUUID() }
  return { ...ids, event: testEvent, account, attempts: 1, queuedAt: new Date() }
}

/**
 * Describes the result of a test call to a webhook target.
 * @throws AppError `unavailable` if the shutdown of this process aborted the call
 */
function describeResult(
  { call, skipped }: SentWebhook,
  { target, eventId }: { target: UnsealedTarget; eventId: string },
): WebhookTargetTestResult {
  const { outcome, status, error, response } = responseFields(call)
  if (outcome === 'aborted' || outcome === 'too-large')
    throw new AppError('unavailable', 'The test of the webhook target was interrupted, retry')
  return {
    success: outcome === '2xx',
    address: targetAddress(target.url),
    eventId,
    outcome,
    response: response ?? '',
    skippedHeaders: [...skipped],
    durationMs: Math.round(call.durationMs),
    ...defined({ status: status ?? undefined, error: error ?? undefined }),
  }
}
