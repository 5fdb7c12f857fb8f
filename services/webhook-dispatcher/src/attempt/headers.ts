import { validateHeaderName, validateHeaderValue } from 'node:http'
import { TtlCache } from '@posthorn/flow'
import { productAgent } from '@posthorn/net/product'
import type { Logger } from '@posthorn/telemetry'
import type { Header } from '../store/target-sources.ts'

export interface HeaderValues {
  id: string
  eventId: string
  /** Number of attempts of the webhook delivery before this attempt. */
  attemptsMade: number
  queuedMs: number
  signature: string
  /**
   * Values of the headers of Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp`,
   * `webhook-signature`.
   */
  standard: { id: string; timestamp: number; signature: string }
  /**
   * Value of the request header `Authorization`, from the credentials in the webhook target's URL.
   */
  authorization?: string
  /** Id of the webhook route that the delivery belongs to. */
  route?: string
  /** Public address of the installation (setting `serviceUrl`). */
  serviceUrl?: string
  /** Second prefix of the names of webhook headers (setting `webhooksHeaderAlias`). */
  headerAlias?: string
}

/**
 * Names of request headers that the webhook-dispatcher or the HTTP connection sets. Custom headers
 * of these names are not sent.
 */
const reserved = new Set([
  '__proto__', // name that cannot be a member of the object of request headers
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
])

/**
 * Value of the request header `User-Agent` of webhooks: product, version and product address, then
 * the address of the installation if configured.
 */
function userAgentOf(serviceUrl: string | undefined): string {
  if (serviceUrl === undefined) return productAgent
  // Escapes parentheses in the installation's address, which would end the comment of `User-Agent`
  // (RFC 9110 §5.6.5).
  const url = new URL(serviceUrl).href.replaceAll('(', '%28').replaceAll(')', '%29')
  return `${productAgent} (+${url})`
}

/** Prefix of the names of webhook headers in the interface spec. */
const prefix = 'X-SVC-'

/**
 * Names and values of the webhook headers of the interface spec. With a header alias, each header
 * also has a name with that prefix.
 */
function webhookHeaders(values: HeaderValues): Record<string, string> {
  const headers = {
    'Wh-Id': values.id,
    'Wh-Attempts-Made': String(values.attemptsMade),
    'Wh-Queued-Time': `${Math.max(0, Math.floor(values.queuedMs / 1000))}s`,
    'Wh-Event-Id': values.eventId,
    ...(values.route !== undefined && { 'Wh-Custom-Route': values.route }),
    'Wh-Signature': values.signature,
  }
  const prefixes = values.headerAlias === undefined ? [prefix] : [prefix, values.headerAlias]
  return Object.fromEntries(
    prefixes.flatMap((each) =>
      Object.entries(headers).map(([name, value]) => [`${each}${name}`, value]),
    ),
  )
}

/**
 * Request headers of a webhook delivery attempt: interface spec, "Request headers on every
 * delivery", and Standard Webhooks 1.0. A custom Authorization wins over the credentials of the
 * URL. `skipped` has the names of the custom headers that cannot be sent.
 */
export function requestHeaders(
  values: HeaderValues,
  custom: readonly Header[],
): { headers: Record<string, string>; skipped: string[] } {
  const headers: Record<string, string> = {}
  const skipped: string[] = []
  if (values.authorization !== undefined) headers['authorization'] = values.authorization
  for (const { key, value = '' } of custom) {
    if (isSendable(key, value, values)) headers[key.toLowerCase()] = value
    else skipped.push(key)
  }
  return {
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      'User-Agent': userAgentOf(values.serviceUrl),
      ...webhookHeaders(values),
      'webhook-id': values.standard.id,
      'webhook-timestamp': String(values.standard.timestamp),
      'webhook-signature': values.standard.signature,
    },
    skipped,
  }
}

function isSendable(name: string, value: string, { headerAlias }: HeaderValues): boolean {
  const lower = name.toLowerCase()
  if (reserved.has(lower) || lower.startsWith('x-svc-') || lower.startsWith('proxy-')) return false
  if (headerAlias !== undefined && lower.startsWith(`${headerAlias}wh-`.toLowerCase())) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/**
 * Maximum number of remembered warnings about custom headers of webhook targets. Above the maximum,
 * the oldest warnings may be repeated.
 */
const maxWarnings = 10_000

/**
 * Logs custom headers of webhook targets that cannot be sent, once per target and account, not per
 * attempt.
 */
export function warnSkippedHeaders(log: Pick<Logger, 'warn'>) {
  const warned = new TtlCache<string, true>({ max: maxWarnings })
  return (headers: { target: string; account: string; skipped: readonly string[] }): void => {
    if (headers.skipped.length === 0) return
    const key = JSON.stringify([headers.target, headers.account, headers.skipped])
    if (warned.get(key)) return
    warned.set(key, true)
    log.warn({ ...headers }, 'custom headers skipped')
  }
}
