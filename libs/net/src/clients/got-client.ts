import type { IncomingHttpHeaders } from 'node:http'
import { defined } from '@posthorn/contracts/defined'
import { messageOf } from '@posthorn/errors'
import got, { type Request, type Response } from 'got'
import type { Agents } from '../agents.ts'
import type { CallRequest, ExchangeLimits, ExchangeResult } from '../call.ts'
import { outcomeOfError, outcomeOfStatus } from '../outcome.ts'

const client = got.extend({
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
  decompress: false,
})

/**
 * Sends an HTTP request with the library got.
 *
 * @throws an error of got if the URL cannot be used for a request
 */
export function sendWithGot(
  agents: Agents,
  { method, url, headers, body }: CallRequest,
  { timeoutMs, connectMs, maxResponseBytes, signal }: ExchangeLimits,
): Promise<ExchangeResult> {
  const stream = client.stream(url, {
    method,
    agent: { http: agents.http, https: agents.https },
    headers: { ...headers },
    ...defined({ body, signal }),
    timeout: { request: timeoutMs, connect: connectMs, secureConnect: connectMs },
  })
  // For HTTP methods that may have a body, the library got waits for the body. A request without a
  // body is therefore ended explicitly.
  if (body === undefined && method !== 'GET' && method !== 'HEAD') stream.end()
  return readResponse(stream, maxResponseBytes)
}

/**
 * Reads the body of an HTTP response up to `maxBytes`. If the body is incomplete, the call fails.
 */
function readResponse(stream: Request, maxBytes: number): Promise<ExchangeResult> {
  const { promise, resolve } = Promise.withResolvers<ExchangeResult>()
  let response: { status: number; headers: IncomingHttpHeaders } | undefined
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = (outcome: ExchangeResult['outcome'], error?: string) =>
    resolve({
      outcome,
      headers: {},
      ...response,
      body: Buffer.concat(chunks),
      ...defined({ error }),
    })
  stream.once('response', ({ statusCode, headers }: Response) => {
    response = { status: statusCode, headers }
  })
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, maxBytes - bytes))
    bytes += chunk.length
    if (bytes <= maxBytes || !response) return
    finish(outcomeOfStatus(response.status))
    stream.destroy()
  })
  stream.once('end', () => response && finish(outcomeOfStatus(response.status)))
  stream.on('error', (error) =>
    finish(outcomeOfError(error, stream.timings?.connect !== undefined), messageOf(error)),
  )
  stream.once('close', () => finish('reset', 'the connection was closed'))
  return promise
}
