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
  /**
   * Returns the first webhook at the demo's receiver that `match` accepts. A webhook received
   * before the call counts, too.
   */
  next(description: string, match: (webhook: ReceivedWebhook) => boolean): Promise<ReceivedWebhook>
}

/** Timeout for each wait of the demo, for example for a webhook. */
const timeoutMs = 30_000

/**
 * Starts a minimal webhook receiver at an address of this machine. For each webhook, the receiver
 * verifies the signature over the raw bytes, parses the body and responds.
 */
export async function startReceiver(serviceSecret: string, host: string): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const waiting = new Set<() => void>()
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
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
    for (const check of waiting) check()
  }
  const server = createServer((request, response) => {
    onRequest(request, response).catch(() => response.destroy())
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/hook`,
    next: (description, match) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () =>
            finish(() =>
              reject(new Error(`no webhook within ${timeoutMs / 1000} s: ${description}`)),
            ),
          timeoutMs,
        )
        const check = () => {
          const webhook = received.find(match)
          if (webhook) finish(() => resolve(webhook))
        }
        const finish = (settle: () => void) => {
          clearTimeout(timer)
          waiting.delete(check)
          settle()
        }
        waiting.add(check)
        check()
      }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function isSigned(body: Buffer, signature: string, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest()
  const actual = Buffer.from(signature, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
