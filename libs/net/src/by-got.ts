import type { IncomingHttpHeaders } from 'node:http'
import { messageOf } from '@posthorn/errors'
import got, { type Request, type Response } from 'got'
import type { Agents } from './agents.ts'
import type { CallRequest } from './http.ts'
import { outcomeOfError, outcomeOfStatus } from './outcome.ts'
import type { Bounds, Ended } from './exchange.ts'

const client = got.extend({
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
  decompress: false,
})

/** @throws what got says of an address that cannot be called */
export function sendByGot(
  agents: Agents,
  { method, url, headers, body }: CallRequest,
  { timeoutMs, connectMs, maxResponseBytes, signal }: Bounds,
): Promise<Ended> {
  const stream = client.stream(url, {
    method,
    agent: { http: agents.http, https: agents.https },
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
    timeout: { request: timeoutMs, connect: connectMs, secureConnect: connectMs },
  })
  return answerOf(stream, maxResponseBytes)
}

/** Reads an answer up to the limit. A body that breaks off, or does not end in time, makes the call fail: the server had not finished. */
function answerOf(stream: Request, maxBytes: number): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  let answer: { status: number; headers: IncomingHttpHeaders } | undefined
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = (outcome: Ended['outcome'], error?: string) =>
    resolve({
      outcome,
      headers: {},
      ...answer,
      body: Buffer.concat(chunks),
      ...(error === undefined ? {} : { error }),
    })
  stream.once('response', ({ statusCode, headers }: Response) => {
    answer = { status: statusCode, headers }
  })
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, maxBytes - bytes))
    bytes += chunk.length
    if (bytes <= maxBytes || !answer) return
    finish(outcomeOfStatus(answer.status))
    stream.destroy()
  })
  stream.once('end', () => answer && finish(outcomeOfStatus(answer.status)))
  stream.on('error', (error) =>
    finish(outcomeOfError(error, stream.timings?.connect !== undefined), messageOf(error)),
  )
  stream.once('close', () => finish('reset', 'the connection was closed'))
  return promise
}
