import { createHmac } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { getServiceSecret } from '@posthorn/contracts/commands/credentials'
import { targetAddress } from '@posthorn/contracts/target-address'
import { messageOf } from '@posthorn/errors'
import { sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'

/** Keys of the signatures of webhook deliveries. */
export interface SigningKeys {
  serviceSecret: string
  /**
   * Earlier service secrets, which were replaced. These secrets also sign the header
   * `webhook-signature` until `until`.
   */
  previous: readonly { serviceSecret: string; until: Date }[]
  /**
   * Signing keys by lane (target address), of webhook targets with their own key for
   * `webhook-signature`.
   */
  targets: ReadonlyMap<string, string>
}

/**
 * Value of the header `X-SVC-Wh-Signature`: HMAC-SHA256 of the webhook's body, base64url. Interface
 * spec, "Signature".
 */
export function sign(body: string | Uint8Array, serviceSecret: string): string {
  return createHmac('sha256', serviceSecret).update(body).digest('base64url')
}

/** Content that the header `webhook-signature` of a webhook delivery signs. */
export interface SignedMessage {
  /** Event id of the signed webhook delivery, equal for all targets and attempts. */
  id: string
  /** Time in the header `webhook-timestamp` of a delivery, in seconds since 1970. */
  timestamp: number
  body: string
}

/**
 * Value of the header `webhook-signature`: `v1,<base64>` per secret, separated by spaces (Standard
 * Webhooks 1.0).
 */
export function standardSignature(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): string {
  return secrets
    .map((secret) => {
      const hmac = createHmac('sha256', keyBytes(secret)).update(`${id}.${timestamp}.`).update(body)
      return `v1,${hmac.digest('base64')}`
    })
    .join(' ')
}

/** Secrets that sign deliveries to a webhook target. The current secret comes first. */
export function standardSecrets(keys: SigningKeys, lane: string, now: Date): string[] {
  const own = keys.targets.get(lane)
  if (own !== undefined) return [own]
  const previous = keys.previous.filter(({ until }) => until > now)
  return [keys.serviceSecret, ...previous.map(({ serviceSecret }) => serviceSecret)]
}

/**
 * Maximum age of the header `webhook-timestamp`. Receivers reject timestamps older than 5 min;
 * clocks of receivers may differ by up to 3 min.
 */
const maxTimestampAgeMs = 120_000

/**
 * Value of the header `webhook-timestamp`: time of queueing of the delivery, so that early attempts
 * are byte-identical. After `maxTimestampAgeMs` the time of the attempt, because receivers would
 * reject the older time.
 */
export function standardTimestamp(queuedAt: Date, now: Date): number {
  const isRecent = now.getTime() - queuedAt.getTime() <= maxTimestampAgeMs
  return Math.floor((isRecent ? queuedAt : now).getTime() / 1000)
}

const standardSecret = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/**
 * Bytes of a signing secret: decoded if the secret has the format of Standard Webhooks, else in
 * UTF-8.
 */
function keyBytes(secret: string): Buffer {
  const [, base64] = standardSecret.exec(secret) ?? []
  return base64 === undefined ? Buffer.from(secret) : Buffer.from(base64, 'base64')
}

/** Cache of the keys that sign webhook deliveries. */
export type SigningKeyCache = ReturnType<typeof cacheSigningKeys<SigningKeys>>

export interface SigningKeyCacheOptions<T> {
  /** Requests the keys that sign webhooks from auth-bridge. */
  fetch: () => Promise<T>
  log: Logger
  /** Delay after a failed request for the keys that sign webhooks. Default 1 s. */
  retryMs?: number
}

/**
 * Lifetime of cached keys that sign webhook deliveries. Changes of the keys are broadcast; the
 * lifetime bounds the effect of a lost broadcast.
 */
const ttlMs = 60_000

/**
 * Caches the keys that sign webhook deliveries in memory. Unlike entries of a `TtlCache`, expired
 * keys stay in use while auth-bridge is unavailable.
 */
export function cacheSigningKeys<T>({ fetch, log, retryMs = 1_000 }: SigningKeyCacheOptions<T>) {
  let cached: { value: T; freshUntil: number } | undefined
  let request: Promise<void> | undefined
  let version = 0

  async function refresh(): Promise<void> {
    const requestedVersion = version
    try {
      const value = await fetch()
      // Webhook signing keys that changed while they were requested from auth-bridge are used once,
      // then requested again.
      cached = { value, freshUntil: requestedVersion === version ? Date.now() + ttlMs : 0 }
    } catch (error) {
      const reason = messageOf(error)
      log.warn({ reason, cached: cached !== undefined }, 'service secret request failed')
      if (cached) cached = { ...cached, freshUntil: Date.now() + retryMs }
    } finally {
      request = undefined
    }
  }

  return {
    /**
     * Current signing keys for webhook deliveries. Waits until auth-bridge has sent keys once;
     * rejects when the signal aborts.
     */
    async get(signal: AbortSignal): Promise<T> {
      for (;;) {
        if (cached && cached.freshUntil > Date.now()) return cached.value
        request ??= refresh()
        await request
        if (cached) return cached.value
        await sleep(retryMs, signal)
      }
    },
    /**
     * Marks the cached keys that sign webhook deliveries as outdated, so that the next `get`
     * requests keys from auth-bridge.
     */
    invalidate(): void {
      version++
      if (cached) cached = { ...cached, freshUntil: 0 }
    },
  }
}

/** Requests the keys that sign webhook deliveries from auth-bridge. */
export async function fetchSigningKeys(bus: Pick<Bus, 'request'>): Promise<SigningKeys> {
  const options = { key: 'credentials', timeoutMs: 5_000 }
  const reply = await bus.request(getServiceSecret, {}, options)
  const { serviceSecret, previous = [], targets = [] } = reply
  return {
    serviceSecret,
    previous: previous.map((key) => ({ ...key, until: new Date(key.until) })),
    targets: new Map(targets.map(({ target, secret }) => [targetAddress(target), secret])),
  }
}
