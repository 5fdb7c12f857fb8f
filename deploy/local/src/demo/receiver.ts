import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedWebhook {
  event: string
  account: string
  data: Record<string, unknown>
  eventId: string
  receivedAt: number
}

export interface WebhookReceiver extends AsyncDisposable {
  url: string
  /** Resolves with the first webhook received that matches, also one that came earlier. */
  next(what: string, match: (webhook: ReceivedWebhook) => boolean): Promise<ReceivedWebhook>
}

/** How long the demo waits for anything. */
const patienceMs = 30_000

/** What a receiver should do, in small: verify the signature over the raw bytes, then parse, then answer. */
export async function startReceiver(serviceSecret: string): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const waiting = new Set<() => void>()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const valid = isSigned(body, String(request.headers['x-svc-wh-signature']), serviceSecret)
    response.writeHead(valid ? 200 : 401).end()
    if (!valid) return
    const webhook = JSON.parse(body.toString()) as ReceivedWebhook
    received.push({
      ...webhook,
      eventId: String(request.headers['x-svc-wh-event-id']),
      receivedAt: performance.now(),
    })
    for (const look of waiting) look()
  }
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    next: (what, match) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => finish(() => reject(new Error(`no webhook came: ${what}`))),
          patienceMs,
        )
        const look = () => {
          const found = received.find(match)
          if (found) finish(() => resolve(found))
        }
        const finish = (how: () => void) => {
          clearTimeout(timer)
          waiting.delete(look)
          how()
        }
        waiting.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function isSigned(body: Buffer, signature: string, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(signature, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
