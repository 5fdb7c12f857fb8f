import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StreamedBody } from '@posthorn/net/call'
import { keyNames } from './key-names.ts'

/** Maximum size in bytes of a request body whose member names are recorded in the audit log. */
const maxNamedBytes = 1024 * 1024
/** Entry of the audit log in place of the member names of a larger request body. */
const unnamedKeys = ['(body above 1 MB)']

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

export interface ForwardedBody {
  /** Bytes of the request body to forward, unchanged. Undefined if the request has no body. */
  body: Buffer | StreamedBody | undefined
  /**
   * Names of the members of a JSON request body, for the audit log. `unnamedKeys` for a larger
   * body, else empty.
   */
  keys: string[]
}

/**
 * Prepares the body of a request for forwarding. A JSON body of at most 1 MB is read first, to name
 * its members. Any other body is streamed.
 *
 * @throws the error of the request if its client disconnects
 */
export async function prepareBody({ request, response }: Exchange): Promise<ForwardedBody> {
  const { headers } = request
  const length =
    headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (!mayHaveBody(request, length)) return { body: undefined, keys: [] }
  // After `Expect: 100-continue`, the client sends the request body only after this interim
  // response (RFC 9110 §10.1.1).
  if (headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
  // The iterator over the request body must not close the connection, because the client still
  // waits for the response.
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false })
  const framing = length === undefined ? {} : { length }
  if (!isNamed(request)) return { body: { chunks: join([], chunks), ...framing }, keys: [] }
  if ((length ?? 0) > maxNamedBytes)
    return { body: { chunks: join([], chunks), ...framing }, keys: unnamedKeys }
  const first: Buffer[] = []
  let bytes = 0
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    first.push(next.value)
    bytes += next.value.length
    if (bytes > maxNamedBytes)
      return { body: { chunks: join(first, chunks), ...framing }, keys: unnamedKeys }
  }
  const body = Buffer.concat(first)
  return { body, keys: keyNames(body) }
}

/** True if the request has a body that api-gateway may read. GET and HEAD have none. */
function mayHaveBody({ method, headers }: IncomingMessage, length: number | undefined): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return headers['transfer-encoding'] !== undefined || (length ?? 0) > 0
}

/** True for JSON request bodies, whose members the audit log names. */
function isNamed({ headers }: IncomingMessage): boolean {
  const type = (headers['content-type'] ?? 'application/json').split(';', 1)[0] ?? ''
  const isJson = /^application\/(?:[\w.-]+\+)?json$/i.test(type.trim())
  // Only bodies without a content coding are read as JSON. api-gateway rejects all other codings.
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity'
  return isJson && isPlain
}

async function* join(
  first: readonly Buffer[],
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  yield* first
  yield* { [Symbol.asyncIterator]: () => rest }
}
