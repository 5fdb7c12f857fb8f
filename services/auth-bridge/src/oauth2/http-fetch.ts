import { minCredentialsTimeoutMs } from '@posthorn/contracts'
import type { CallResult, HttpCaller } from '@posthorn/net'

/** A token endpoint may take this long in all; then there is time to say so. */
export const oauthTimeoutMs = minCredentialsTimeoutMs - 2_000
/** Tokens, an id token and a long error; more is cut, and then it is no JSON. */
export const oauthMaxBytes = 256 * 1_024

/** Nobody answered, or not in full. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** What an OAuth client needs of `fetch`, by way of the egress policy. No redirect is followed. */
export function fetchThrough(http: Pick<HttpCaller, 'call'>) {
  return async (url: string, init: FetchInit): Promise<Response> => {
    const { method, headers, body } = init
    const result = await http.call({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers,
      ...(body ? { body: body.toString() } : {}),
    })
    return responseOf(result)
  }
}

interface FetchInit {
  method: string
  headers: Record<string, string>
  /** Of token and revocation endpoints; there is no other. */
  body?: URLSearchParams | null | undefined
}

function responseOf({ status, body, error, outcome, headers }: CallResult): Response {
  if (status === undefined || error !== undefined) throw new NoAnswer(error ?? outcome)
  const type = headers['content-type']
  // A status without a body does not take one, be it empty.
  const content = [204, 205, 304].includes(status) ? null : new Uint8Array(body)
  return new Response(content, {
    status,
    headers: type === undefined ? {} : { 'content-type': type },
  })
}
