import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CommandError } from '../../exit-codes.ts'
import type { ForwardedResponse, ReceivedWebhook } from './forward.ts'

/**
 * Header that the temporary webhook route adds to requests, and by which the receiver recognizes
 * the route.
 */
export const keyHeader = 'X-Posthorn-Listen-Key'

/** Maximum size of a webhook's body in bytes, the maximum that Posthorn sends. */
const maxBytes = 64 * 1024 * 1024

/**
 * Time after which disposal of the webhook receiver cuts the requests in flight, such as a forward
 * that hangs.
 */
const graceMs = 5_000

/** Options of a local webhook receiver. */
export interface ReceiverOptions {
  host: string
  /** Port of the webhook receiver, or 0 for a free port. */
  port: number
  /** Required value of the header `keyHeader`. Webhook requests without the value are rejected. */
  key: string
  /** Handles a received webhook. `signal` aborts when the sender has closed the connection. */
  onWebhook: (webhook: ReceivedRequest, signal: AbortSignal) => Promise<ForwardedResponse>
  onRejected: (reason: string) => void
}

/** Received webhook request, with header names in lower case. */
export interface ReceivedRequest extends ReceivedWebhook {
  headers: IncomingMessage['headers']
}

/** Local HTTP server for webhooks. Disposal waits for the requests in flight. */
export interface Receiver extends AsyncDisposable {
  port: number
}

/** Starts a local HTTP server that receives webhooks. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { host, port } = options
  const server = createServer((request, response) => {
    respond(options, request, response).catch((error: unknown) => {
      options.onRejected(String((error as Error).message))
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  })
  server.listen(port, host)
  await once(server, 'listening').catch((error: unknown) => {
    throw new CommandError(
      `the receiver cannot listen on ${host}:${port}: ${String((error as Error).message)}. Choose another --host or --port.`,
    )
  })
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}

async function respond(
  { key, onWebhook, onRejected }: ReceiverOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, rawHeaders, method } = request
  if (!isEqual(headers[keyHeader.toLowerCase()], key)) {
    onRejected(`rejected a request (${method} ${request.url}) that does not come from the route`)
    return void response.writeHead(401, { connection: 'close' }).end()
  }
  const body = await readBody(request)
  if (!body) return void response.writeHead(413, { connection: 'close' }).end()
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const result = await onWebhook({ headers, rawHeaders, body }, gone.signal)
  response.writeHead(result.status, result.headers).end(result.body)
}

/** Compares the key of a webhook request in constant time. */
function isEqual(value: string | string[] | undefined, key: string): boolean {
  const [one, other] = [Buffer.from(String(value)), Buffer.from(key)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Reads the body of a webhook request. Returns undefined if the body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
