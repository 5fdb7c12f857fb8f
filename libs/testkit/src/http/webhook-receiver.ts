import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { listen, stopListening } from '../listening.ts'

/** Request that the webhook receiver received. */
export interface ReceivedRequest {
  method: string
  /** Path of the webhook request with its query. */
  path: string
  headers: IncomingHttpHeaders
  /** Header names and values of the webhook request in turn, in their original case. */
  rawHeaders: string[]
  /** Body of the received webhook request, not parsed. */
  body: Buffer
  json(): unknown
  receivedAt: Date
}

/** Reply to a webhook request. Defaults to status 200 with an empty body. */
export interface WebhookReply {
  status?: number
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Delay before the reply to a webhook, in milliseconds. */
  delayMs?: number
  /**
   * `hang` never replies to the webhook, and `drop` closes the connection without a reply. In both
   * cases the request is received and recorded.
   */
  instead?: 'hang' | 'drop'
}

type ReplyRule = (request: ReceivedRequest, index: number) => WebhookReply

export interface WebhookReceiver {
  readonly port: number
  /** URL of the webhook endpoint: `http://127.0.0.2:port/hook`. Every other path works as well. */
  readonly url: string
  /** Webhook requests, oldest first, including requests that got an error reply. */
  readonly requests: ReceivedRequest[]
  /** Sets the replies to the next webhook requests, one reply per request. */
  script(...replies: WebhookReply[]): void
  /**
   * Sets the replies to webhook requests without a scripted reply. `index` is the number of the
   * request, counted from 0.
   */
  replyWith(rule: ReplyRule): void
  /**
   * Closes the webhook endpoint and refuses connections until `open`, which listens on the same
   * port again.
   */
  close(): Promise<void>
  open(): Promise<void>
}

/**
 * Loopback address of webhook receivers. No other server of the tests listens on this address, so a
 * webhook that arrives after the end of its receiver never reaches a server that got the same port.
 */
const receiverHost = '127.0.0.2'

/**
 * Starts an HTTP server that stands for a customer's webhook endpoint. `close` ends requests
 * without a reply.
 */
export async function startWebhookReceiver(host = receiverHost): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = []
  const scripted: WebhookReply[] = []
  let rule: ReplyRule = () => ({})
  const server = createServer((request, response) => {
    receive(request)
      .then((received) => {
        const index = requests.push(received) - 1
        return reply(response, scripted.shift() ?? rule(received, index))
      })
      .catch(() => response.destroy())
  })
  let port = 0
  const open = async () => void (port = await listen(server, port, host))
  await open()
  return {
    get port() {
      return port
    },
    get url() {
      return `http://${host}:${port}/hook`
    },
    requests,
    script: (...replies) => void scripted.push(...replies),
    replyWith: (next) => void (rule = next),
    open,
    close: () => stopListening(server, () => server.closeAllConnections()),
  }
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const body = await buffer(request)
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
