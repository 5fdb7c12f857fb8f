import { minCredentialsTimeoutMs } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import type { CallResult, HttpCaller } from '@posthorn/net/http-caller'

/**
 * Timeout of a request to an OAuth2 provider. Shorter than the timeout of the requesting service,
 * so that the service learns the reason of a failure.
 */
export const oauthTimeoutMs = minCredentialsTimeoutMs - 2_000
/**
 * Maximum size of an OAuth2 provider's response, which may contain tokens, an id token and a long
 * error. A longer body is cut and cannot be parsed.
 */
export const oauthMaxBytes = 256 * 1_024

/** Error for a missing or incomplete response of an OAuth2 provider. */
class NoResponseError extends Error {
  override name = 'NoResponseError'
}

/**
 * Creates a `fetch` function for the OAuth client library that applies the egress policy. The
 * function follows no redirects.
 */
export function fetchThrough(http: Pick<HttpCaller, 'call'>) {
  return async (url: string, init: FetchInit): Promise<Response> => {
    const { method, headers, body } = init
    const result = await http.call({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers,
      ...defined({ body: body ? body.toString() : undefined }),
    })
    return toResponse(result)
  }
}

interface FetchInit {
  method: string
  headers: Record<string, string>
  /** Body of an OAuth2 request. Only token and revocation requests have a body. */
  body?: URLSearchParams | null | undefined
}

function toResponse({ status, body, error, outcome, headers }: CallResult): Response {
  if (status === undefined || error !== undefined) throw new NoResponseError(error ?? outcome)
  // Passes a null body for the statuses 204, 205 and 304, for which `Response` rejects even an
  // empty body.
  const content = [204, 205, 304].includes(status) ? null : new Uint8Array(body)
  return new Response(content, {
    status,
    headers: defined({
      'content-type': headers['content-type'],
      'retry-after': headers['retry-after'],
      date: headers.date,
    }),
  })
}
