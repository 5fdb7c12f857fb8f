import type { WebhookEventBody } from '../generated/events.ts'

/** Event that a webhook contains: the union of all events, distinguished by the member `event`. */
export type WebhookEvent = WebhookEventBody & {
  /**
   * Event id, identical in all attempts of a webhook and for all targets. Use the id to detect
   * duplicates.
   */
  eventId: string
}

/** Webhook event of a given name: `EventOf<'messageNew'>`. */
export type EventOf<N extends WebhookEvent['event']> = Extract<WebhookEvent, { event: N }>

/** Headers of the webhook request: a `Headers` object, or a record with names in lower case. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookRequest {
  headers: RequestHeaders
  /** Bytes of the webhook body as they arrived, or their text. */
  body: Uint8Array | ArrayBuffer | string
}

export interface VerifyOptions {
  /** Secret of the webhook signature, or several secrets of which one must match. */
  secret: string | readonly string[]
  /** Maximum difference between `webhook-timestamp` and the clock, in seconds. Default 300. */
  toleranceSeconds?: number | undefined
}

/** Failure of the verification of a webhook request. The request must not be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/**
 * Verifies the signature of a webhook by Standard Webhooks 1.0 and returns its event. Throws
 * `WebhookVerificationError` if the signature is wrong or the timestamp is too old.
 */
export async function verifyWebhook({
  headers,
  body,
  secret,
  toleranceSeconds = 300,
}: WebhookRequest & VerifyOptions): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  )
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError('the request has no headers webhook-…: it is no webhook')
  // The comparison is negated so that a webhook timestamp that is no number fails.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookVerificationError(
      'webhook-timestamp is too far from the clock of this machine: check the clock',
    )
  const bytes = bytesOf(body)
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const secrets = (typeof secret === 'string' ? [secret] : secret).filter((each) => each !== '')
  if (!(await matchesAny(signatures, signed, secrets)))
    throw new WebhookVerificationError(
      'no signature matches: check the secret, and that the body has its original bytes',
    )
  return { ...(JSON.parse(new TextDecoder().decode(bytes)) as WebhookEventBody), eventId: id }
}

function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = isHeaders(headers) ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : (value?.[0] ?? undefined)
}

function isHeaders(headers: RequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}

/**
 * Maximum number of webhook signatures of a request that are compared. A rotation of secrets needs
 * fewer signatures.
 */
const maxSignatures = 8

async function matchesAny(
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
): Promise<boolean> {
  const candidates = signatures
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .slice(0, maxSignatures)
    .map((each) => fromBase64(each.slice(3)))
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey(
      'raw',
      keyBytes(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    )
    for (const candidate of candidates)
      // Compares a webhook signature in constant time.
      if (candidate && (await crypto.subtle.verify('HMAC', key, candidate, signed))) return true
  }
  return false
}

/**
 * Bytes of a webhook secret: decoded if the secret has the format of Standard Webhooks, else in
 * UTF-8.
 */
function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  return (base64 === undefined ? undefined : fromBase64(base64)) ?? new TextEncoder().encode(secret)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function bytesOf(body: WebhookRequest['body']): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  return body instanceof Uint8Array ? body : new Uint8Array(body)
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}
