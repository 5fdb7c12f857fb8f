import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'

const secret = 'service secret'
const body = JSON.stringify({ event: 'messageNew', account: 'anna', data: { id: 'Grüße' } })

interface Signed {
  id?: string
  at?: number
  key?: string | Buffer
  text?: string
}

function sign({ id = 'ev1', at = Date.now() / 1000, key = secret, text = body }: Signed = {}) {
  const timestamp = String(Math.floor(at))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}

describe('verifyWebhook', () => {
  test.each([
    ['text', body],
    ['bytes', Buffer.from(body)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('with the body as %s, returns the event with its id', async (_name, bytes) => {
    const event = await verifyWebhook({ headers: sign(), body: bytes, secret })
    expect(event).toMatchObject({ event: 'messageNew', eventId: 'ev1', data: { id: 'Grüße' } })
  })

  test('takes Headers, and values in lists', async () => {
    await verifyWebhook({ headers: new Headers(sign()), body, secret })
    const lists = Object.fromEntries(Object.entries(sign()).map(([key, value]) => [key, [value]]))
    await verifyWebhook({ headers: lists, body, secret })
  })

  test('with several signatures and several secrets, one match is sufficient', async () => {
    const [old, current] = [sign({ key: 'old' }), sign()]
    const both = `${old['webhook-signature']} v2,ignored ${current['webhook-signature']}`
    await verifyWebhook({ headers: { ...current, 'webhook-signature': both }, body, secret })
    await verifyWebhook({ headers: old, body, secret: [secret, 'old'] })
  })

  test('with a secret in the format of Standard Webhooks, uses its decoded bytes', async () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef', 'hex')
    const whsec = `whsec_${key.toString('base64')}`
    await verifyWebhook({ headers: sign({ key }), body, secret: whsec })
  })

  const { 'webhook-signature': signature, ...unsigned } = sign()
  test.each<[string, Parameters<typeof verifyWebhook>[0]]>([
    ['another secret', { headers: sign({ key: 'other' }), body, secret }],
    ['another body', { headers: sign(), body: `${body} `, secret }],
    ['another id', { headers: { ...sign(), 'webhook-id': 'ev2' }, body, secret }],
    ['an old timestamp', { headers: sign({ at: Date.now() / 1000 - 302 }), body, secret }],
    ['a timestamp in the future', { headers: sign({ at: Date.now() / 1000 + 302 }), body, secret }],
    [
      'a timestamp that is no number',
      { headers: { ...sign(), 'webhook-timestamp': 'x' }, body, secret },
    ],
    ['no signature', { headers: unsigned, body, secret }],
    [
      'a cut signature',
      { headers: { ...unsigned, 'webhook-signature': signature.slice(0, 20) }, body, secret },
    ],
    ['no base64', { headers: { ...unsigned, 'webhook-signature': 'v1,%%%' }, body, secret }],
    ['no secret', { headers: sign({ key: '' }), body, secret: '' }],
    ['no secrets', { headers: sign(), body, secret: [] }],
  ])('with %s, throws WebhookVerificationError', async (_name, request) => {
    await expect(verifyWebhook(request)).rejects.toBeInstanceOf(WebhookVerificationError)
  })

  test('toleranceSeconds: sets the limit of the age', async () => {
    const headers = sign({ at: Date.now() / 1000 - 20 })
    await verifyWebhook({ headers, body, secret, toleranceSeconds: 30 })
    await expect(
      verifyWebhook({ headers, body, secret, toleranceSeconds: 10 }),
    ).rejects.toBeInstanceOf(WebhookVerificationError)
  })
})
