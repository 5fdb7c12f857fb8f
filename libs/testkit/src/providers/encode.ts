import { defined } from '@posthorn/contracts/defined'
import type { ProviderResponse } from './requests.ts'
import type { SentResponse } from './validator.ts'

/** JSON body of a request to a provider fake. Undefined for a content type other than JSON. */
export function jsonOf(contentType = '', raw: Buffer): unknown {
  if (!contentType.startsWith('application/json')) return undefined
  try {
    return JSON.parse(raw.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

/**
 * Converts a response of a provider fake's handler to the form that is sent: objects as JSON, and
 * status 204 without a body.
 */
export function encode({ status, headers = {}, body }: ProviderResponse): SentResponse {
  const isText = typeof body === 'string' || body instanceof Uint8Array
  const contentType =
    headers['content-type'] ?? (isText ? 'text/plain' : body ? 'application/json' : '')
  const bytes = isText ? Buffer.from(body as string) : Buffer.from(body ? JSON.stringify(body) : '')
  return {
    status: status ?? (body === undefined ? 204 : 200),
    contentType,
    headers: defined({ ...headers, 'content-type': contentType || undefined }),
    bytes,
  }
}
