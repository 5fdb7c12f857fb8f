import { defined } from '@posthorn/contracts/defined'
import type { ProviderResponse } from './requests.ts'
import type { SentResponse } from './validator.ts'

/** JSON body of a request. Undefined for another content type. */
export function jsonOf(contentType = '', raw: Buffer): unknown {
  if (!contentType.startsWith('application/json')) return undefined
  try {
    return JSON.parse(raw.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

/** Response as it is sent: objects as JSON, without a body 204. */
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
