import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

/** Webhook request as the local receiver got it. */
export interface ReceivedWebhook {
  /** Names and values of the webhook request's headers, alternating, as in `rawHeaders` of Node. */
  rawHeaders: readonly string[]
  body: Uint8Array
}

/** Response of the URL to which webhooks are forwarded. */
export interface ForwardedResponse {
  status: number
  headers: Record<string, string>
  /** Beginning of the body of the response to a forwarded webhook. */
  body: Buffer
}

/**
 * HTTP headers that belong to a single connection (RFC 9110 §7.6.1) or to the receiver, and are not
 * forwarded.
 */
const ownHeaders = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding', 'expect'])
/** HTTP headers of a response that have a meaning for the sender of webhooks. */
const returnedHeaders = ['content-type', 'retry-after']
/**
 * Maximum bytes of a response that are returned to the sender of a webhook. Posthorn stores less.
 */
const maxResponseBytes = 64 * 1024

/**
 * Sends a webhook to `url` with its bytes and headers unchanged. `without`: name of a header that
 * is left out. Redirects are not followed. Rejects if there is no complete response.
 */
export function forwardWebhook(
  { rawHeaders, body }: ReceivedWebhook,
  { url, without, signal }: { url: string; without: string; signal: AbortSignal },
): Promise<ForwardedResponse> {
  const headers: Record<string, string> = {}
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    const lower = name.toLowerCase()
    if (!ownHeaders.has(lower) && lower !== without.toLowerCase()) headers[name] = value
  }
  const { promise, resolve, reject } = Promise.withResolvers<ForwardedResponse>()
  const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest
  const sent = send(url, { method: 'POST', headers, signal, agent: false }, (response) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      if (size < maxResponseBytes) chunks.push(chunk.subarray(0, maxResponseBytes - size))
      size += chunk.length
    })
    response.on('error', reject)
    response.on('end', () => {
      const returned = returnedHeaders.flatMap((name) => {
        const value = response.headers[name]
        return typeof value === 'string' ? [[name, value] as const] : []
      })
      resolve({
        status: response.statusCode ?? 502,
        headers: Object.fromEntries(returned),
        body: Buffer.concat(chunks),
      })
    })
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}
