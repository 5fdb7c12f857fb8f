import type { CallRequest } from '@posthorn/net/call'
import type { CallResult } from '@posthorn/net/http-caller'
import type { FetchText } from './sources.ts'

export type CallHttp = (request: CallRequest) => Promise<CallResult>

const maxRedirects = 2

/**
 * Creates a function that fetches documents over HTTP. Redirects of GET requests are followed, each
 * subject to the caller's egress policy, and never from https to http.
 */
export function createFetchText(call: CallHttp, signal: AbortSignal): FetchText {
  return async ({ url: firstUrl, body }) => {
    let url = firstUrl
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const result = await call(requestFor(url, body, signal))
      const { outcome, status = 0, headers } = result
      if (outcome === '2xx') return status === 200 ? result.body.toString('utf8') : undefined
      const next = outcome === 'redirect-refused' ? redirectUrl(url, headers.location) : undefined
      // A redirected POST is not followed: its body contains the user's email address, which must
      // not reach another server.
      if (next === undefined || body !== undefined) return undefined
      url = next
    }
    return undefined
  }
}

function requestFor(url: string, body: string | undefined, signal: AbortSignal): CallRequest {
  const accept = { accept: 'application/xml, text/xml' }
  return body === undefined
    ? { method: 'GET', url, headers: accept, signal }
    : { method: 'POST', url, headers: { ...accept, 'content-type': 'text/xml' }, body, signal }
}

function redirectUrl(from: string, location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location, from)) return undefined
  const next = new URL(location, from)
  if (next.username !== '' || next.password !== '') return undefined
  const { protocol } = new URL(from)
  return next.protocol === 'https:' || next.protocol === protocol ? next.href : undefined
}
