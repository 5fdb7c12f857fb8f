import { expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import {
  sign,
  type SigningKeys,
  standardSecrets,
  standardSignature,
  standardTimestamp,
} from './signing.ts'

// The expected webhook signatures were computed by: printf %s '<body>' | openssl dgst -sha256 -hmac
// '<key>' -binary | basenc --base64url | tr -d =
test.each([
  ['{"event":"messageNew"}', 'secret', 'txhuDB1JCGLeAJVf5CrwyqdblaVgA5iflb09spyoUV0'],
  ['{"text":"zażółć ✓"}', 'clé', 'xmufuV6cZDu-FNIBHNSJhO2vT551uVsyr2Wz86FVJng'],
  ['', 'k', 'i7mQxAp9YcuXWXqUISUCW-UKyL63RDbjc1uYiTp_ZiA'],
])('sign: %s with key %s', (body, key, signature) => {
  expect(sign(body, key)).toBe(signature)
  expect(sign(Buffer.from(body), key)).toBe(signature)
})

const body = JSON.stringify({ event: 'messageNew', text: 'zażółć ✓ 💣' })
const message = { id: 'event-1', timestamp: Math.floor(Date.now() / 1000), body }
const headersOf = (signature: string) => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  'webhook-signature': signature,
})
/** Secret of webhook signatures in the format of the Standard Webhooks libraries. */
const asKey = (secret: string) => `whsec_${Buffer.from(secret).toString('base64')}`

test.each([
  ['a plain secret', 'the key of the signature', asKey('the key of the signature')],
  ['a non-ASCII secret', 'clé ✓', asKey('clé ✓')],
  ['a secret in the whsec_ format', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', undefined],
])('standardSignature: the reference library verifies %s', (_name, secret, key = secret) => {
  const headers = headersOf(standardSignature(message, [secret]))
  expect(new Webhook(key).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(key).verify(`${body} `, headers)).toThrow()
  expect(() => new Webhook(asKey('another')).verify(body, headers)).toThrow()
  const older = { ...headers, 'webhook-timestamp': String(message.timestamp - 1) }
  expect(() => new Webhook(key).verify(body, older)).toThrow()
})

const now = new Date()
const keys: SigningKeys = {
  serviceSecret: 'new',
  previous: [
    { serviceSecret: 'old', until: new Date(now.getTime() + 1) },
    { serviceSecret: 'older', until: now },
  ],
  targets: new Map([['https://own.example/hook', 'own']]),
}

test('standardSecrets: a replaced secret also signs until its expiry', () => {
  const secrets = standardSecrets(keys, 'https://other.example/', now)
  expect(secrets).toEqual(['new', 'old'])
  const headers = headersOf(standardSignature(message, secrets))
  expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
  for (const secret of secrets) new Webhook(asKey(secret)).verify(body, headers)
  expect(() => new Webhook(asKey('older')).verify(body, headers)).toThrow()
})

test('standardSecrets: a target with its own key gets no signature of the service secret', () => {
  expect(standardSecrets(keys, 'https://own.example/hook', now)).toEqual(['own'])
})

test.each([
  ['just queued', 0, 1_000],
  ['two minutes ago', 120_000, 1_000],
  ['earlier, uses the time of the attempt', 120_001, 1_120],
])('standardTimestamp: message queued %s', (_name, ago, expected) => {
  const queuedAt = new Date(1_000_000)
  expect(standardTimestamp(queuedAt, new Date(1_000_000 + ago))).toBe(expected)
})
