import { validateHeaderName, validateHeaderValue } from 'node:http'
import { userAgent } from './user-agent.ts'
import type { Header } from '../targets/target.ts'

export interface HeaderFacts {
  id: string
  eventId: string
  /** Before this one. */
  attemptsMade: number
  queuedMs: number
  signature: string
  /** Those of Standard Webhooks 1.0. */
  standard: { id: string; timestamp: number; signature: string }
  /** From the credentials in the target's address. */
  authorization?: string
  /** The id of the route that it is for. */
  route?: string
}

export interface RequestHeaders {
  headers: Record<string, string>
  /** Names of custom headers that cannot be sent. */
  skipped: string[]
}

/** Ours to say, or the connection's. */
const reserved = new Set([
  '__proto__', // no member of an object
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

/** The headers of a delivery. Interface spec, "Request headers on every delivery", and Standard Webhooks 1.0. A custom Authorization wins over the address's. */
export function requestHeaders(facts: HeaderFacts, custom: readonly Header[]): RequestHeaders {
  const headers: Record<string, string> = {}
  const skipped: string[] = []
  if (facts.authorization !== undefined) headers['authorization'] = facts.authorization
  for (const { key, value = '' } of custom) {
    if (isSendable(key, value)) headers[key.toLowerCase()] = value
    else skipped.push(key)
  }
  return {
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      'User-Agent': userAgent,
      'X-SVC-Wh-Id': facts.id,
      'X-SVC-Wh-Attempts-Made': String(facts.attemptsMade),
      'X-SVC-Wh-Queued-Time': `${Math.max(0, Math.floor(facts.queuedMs / 1000))}s`,
      'X-SVC-Wh-Event-Id': facts.eventId,
      ...(facts.route === undefined ? {} : { 'X-SVC-Wh-Custom-Route': facts.route }),
      'X-SVC-Wh-Signature': facts.signature,
      'webhook-id': facts.standard.id,
      'webhook-timestamp': String(facts.standard.timestamp),
      'webhook-signature': facts.standard.signature,
    },
    skipped,
  }
}

function isSendable(name: string, value: string): boolean {
  const lower = name.toLowerCase()
  if (reserved.has(lower) || lower.startsWith('x-svc-') || lower.startsWith('proxy-')) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
