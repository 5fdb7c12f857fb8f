import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A request as it came. */
export interface ReceivedRequest {
  method: string
  /** With the query. */
  path: string
  headers: IncomingHttpHeaders
  /** Names and values in turn, as they were spelt. */
  rawHeaders: string[]
  /** The bytes, before any parsing. */
  body: Buffer
  json(): unknown
  receivedAt: Date
}

/** How a call is answered; default 200 with an empty body. */
export interface WebhookReply {
  status?: number
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Waits before it answers. */
  delayMs?: number
  /** `hang` never answers; `drop` closes the connection without an answer. Both have received the request. */
  instead?: 'hang' | 'drop'
}

export interface WebhookReceiver {
  readonly port: number
  /** `http://127.0.0.1:port/hook`; any other path will do as well. */
  readonly url: string
  /** Everything received, oldest first, whatever the answer was. */
  readonly requests: ReceivedRequest[]
  /** Answers the next calls with these, one a call. */
  script(...answers: WebhookReply[]): void
  /** Answers calls that no script covers. `index` counts all requests from 0. */
  replyWith(how: (request: ReceivedRequest, index: number) => WebhookReply): void
  /** Refuses connections, until `open` on the same port. */
  close(): Promise<void>
  open(): Promise<void>
}

const maxBytes = 64 * 1024 * 1024

/** A small HTTP server that plays a customer's webhook. Hanging calls end with it. */
export async function startWebhookReceiver(host = '127.0.0.1'): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = []
  const scripted: WebhookReply[] = []
  let otherwise: (request: ReceivedRequest, index: number) => WebhookReply = () => ({})
  const server = createServer((request, response) => {
    receive(request)
      .then((received) => {
        const index = requests.push(received) - 1
        return reply(response, scripted.shift() ?? otherwise(received, index))
      })
      .catch(() => response.destroy())
  })
  let port = 0
  const open = async () => {
    server.listen(port, host)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  await open()
  return {
    get port() {
      return port
    },
    get url() {
      return `http://${host}:${port}/hook`
    },
    requests,
    script: (...answers) => void scripted.push(...answers),
    replyWith: (how) => void (otherwise = how),
    open,
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new Error('too big')
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    body,
    json: () => JSON.parse(body.toString('utf8')) as unknown,
    receivedAt: new Date(),
  }
}

async function reply(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', delayMs = 0, instead }: WebhookReply,
): Promise<void> {
  if (delayMs > 0) await delay(delayMs, undefined, { ref: false })
  if (instead === 'drop') response.destroy()
  if (instead !== undefined) return
  response.writeHead(status, headers)
  response.end(body)
}
