import { createHmac } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { fetchWebhookHandler, nodeWebhookHandler, type NodeRequest } from './handlers.ts'
import type { WebhookEvent } from './verify-webhook.ts'

const secret = 'service secret'
const body = JSON.stringify({ event: 'messageNew', account: 'anna', data: { id: 'a' } })

function signedHeaders(key = secret): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`ev1.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': 'ev1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface HandlerOptions {
  onEvent: (event: WebhookEvent) => unknown
  onError?: (error: unknown) => void
  maxBytes?: number
}

/** Sends a webhook request to a handler. Returns the HTTP status of the response. */
type Send = (options: HandlerOptions, headers?: Record<string, string>) => Promise<number>

const viaFetch: Send = async (options, headers = signedHeaders()) => {
  const handler = fetchWebhookHandler({ secret, ...options })
  const request = new Request('http://hook.test', { method: 'POST', headers, body })
  return (await handler(request)).status
}
const viaNode: Send = async (options, headers = signedHeaders()) => {
  const handler = nodeWebhookHandler({ secret, ...options })
  const url = await serve((request, response) => void handler(request, response))
  return (await fetch(url, { method: 'POST', headers, body })).status
}

describe.each([
  ['fetchWebhookHandler', viaFetch],
  ['nodeWebhookHandler', viaNode],
])('%s', (_name, send) => {
  test('with a signed webhook, passes the event and responds with 204', async () => {
    const events: WebhookEvent[] = []
    expect(await send({ onEvent: (event) => events.push(event) })).toBe(204)
    expect(events).toMatchObject([{ event: 'messageNew', eventId: 'ev1' }])
  })

  test('with a wrong signature, responds with 401 and reports the reason', async () => {
    const events: unknown[] = []
    const errors: unknown[] = []
    const status = await send(
      { onEvent: (event) => events.push(event), onError: (error) => errors.push(error) },
      signedHeaders('other'),
    )
    expect({ status, events }).toEqual({ status: 401, events: [] })
    expect(errors).toMatchObject([{ name: 'WebhookVerificationError' }])
  })

  test('when onEvent fails, responds with 500, so that the delivery is repeated', async () => {
    const onEvent = () => Promise.reject(new Error('the queue is full'))
    expect(await send({ onEvent })).toBe(500)
  })

  test('with a body above maxBytes, responds with 413', async () => {
    expect(await send({ onEvent: () => undefined, maxBytes: 20 })).toBe(413)
  })
})

test('nodeWebhookHandler: takes the bytes that express.raw() has read', async () => {
  const events: WebhookEvent[] = []
  const handler = nodeWebhookHandler({ secret, onEvent: (event) => events.push(event) })
  const url = await serve((request, response) => {
    const parsed: NodeRequest = Object.assign(request, { body: Buffer.from(body) })
    void handler(parsed, response)
  })
  expect((await fetch(url, { method: 'POST', headers: signedHeaders(), body })).status).toBe(204)
  expect(events).toHaveLength(1)
})

test('nodeWebhookHandler: with a parsed body, reports that its bytes are lost', async () => {
  const errors: unknown[] = []
  const options = {
    secret,
    onEvent: () => undefined,
    onError: (error: unknown) => errors.push(error),
  }
  const handler = nodeWebhookHandler(options)
  const url = await serve((request, response) => {
    void handler(Object.assign(request, { body: { event: 'messageNew' } }), response)
  })
  expect((await fetch(url, { method: 'POST', headers: signedHeaders(), body })).status).toBe(500)
  expect(errors).toMatchObject([{ message: expect.stringContaining('before express.json()') }])
})
