import type { CallRequest, CallResult } from '@posthorn/net'
import type { FetchText } from './sources.ts'

export type CallHttp = (request: CallRequest) => Promise<CallResult>

const maxRedirects = 2

/** Fetches documents over HTTP. Redirects are followed, each to where the caller's policy lets it, and never from https to http. */
export function createFetchText(call: CallHttp, signal: AbortSignal): FetchText {
  return async ({ url, body }) => {
    let at = url
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const {
        outcome,
        status = 0,
        headers,
        body: answer,
      } = await call(requestFor(at, body, signal))
      if (outcome === '2xx') return status === 200 ? answer.toString('utf8') : undefined
      const next = outcome === 'redirect-refused' ? follow(at, headers.location) : undefined
      // What was posted is not for somebody else.
      if (next === undefined || body !== undefined) return undefined
      at = next
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

function follow(from: string, location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location, from)) return undefined
  const next = new URL(location, from)
  if (next.username !== '' || next.password !== '') return undefined
  const { protocol } = new URL(from)
  return next.protocol === 'https:' || next.protocol === protocol ? next.href : undefined
}
