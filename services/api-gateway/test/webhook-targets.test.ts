import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { verifyWebhook } from '@posthorn/contracts/commands/verify'
import type { CommandRequest } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import { createUnsealer, keyPairFromSecret, unsealLogin } from '@posthorn/secrets'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
const { call } = await servers.start()
const unsealer = createUnsealer([keyPairFromSecret(servers.env.SVC_SECRET).privateKey])
const bus = await servers.connectBus()
const requests: { request: CommandRequest<typeof verifyWebhook>; timeoutMs: number }[] = []
const result = {
  success: false,
  address: 'https://h.example/in',
  eventId: 'e1',
  outcome: 'http-5xx' as const,
  status: 500,
  response: 'broken',
  skippedHeaders: ['Host'],
  durationMs: 12,
}
await bus.serve({
  queue: 'verify.webhook',
  handlers: [
    on(verifyWebhook, async (request, { deadline }) => {
      requests.push({ request, timeoutMs: deadline - Date.now() })
      if (request.url?.includes('busy.example'))
        throw new AppError('rate-limited', 'Too many tests', { extras: { ttl: 3 } })
      return request.url === undefined ? {} : { result }
    }),
  ],
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})
beforeEach(() => void requests.splice(0))

const path = '/admin/api/webhookTargets/test'
const testTarget = (body?: object) => call('POST', path, body === undefined ? {} : { body })
const set = (settings: object) => call('POST', '/v1/settings', { body: settings })

test('testWebhookTarget: returns the result of the call, with status 200', async () => {
  const answer = await testTarget({ url: 'https://h.example/in' })
  expect([answer.status, answer.body]).toEqual([200, result])
  expect(requests.map(({ request }) => request)).toEqual([{ url: 'https://h.example/in' }])
  expect(requests[0]?.timeoutMs).toBeGreaterThan(30_000)
})

test('testWebhookTarget: seals the login of a URL', async () => {
  const url = 'https://user:secret@h.example/in'
  expect((await testTarget({ url })).status).toBe(200)
  const sent = requests[0]?.request.url ?? ''
  expect(sent).not.toContain('secret')
  expect(await unsealLogin(sent, unsealer)).toBe(url)
})

test('testWebhookTarget: a masked URL stands for the stored default target', async () => {
  const stored = 'https://user:secret@default.example/in'
  await set({ webhooks: stored })
  const masked = stored.replace('secret', '******')
  expect((await testTarget({ url: masked })).status).toBe(200)
  expect(await unsealLogin(requests[0]?.request.url ?? '', unsealer)).toBe(stored)
  const other = await testTarget({ url: masked.replace('default.example', 'evil.example') })
  expect([other.status, other.body]).toMatchObject([400, { fields: [{ key: 'url' }] }])
  expect(requests).toHaveLength(1)
})

test.each([undefined, {}])(
  'testWebhookTarget: body %j without a target, names the remedy',
  async (body) => {
    const answer = await testTarget(body)
    expect([answer.status, answer.body]).toMatchObject([
      400,
      {
        code: 'UnsupportedOperation',
        message:
          'No webhook target is configured: send url, or set the setting webhooks or webhooks of the account',
      },
    ])
    expect(requests.map(({ request }) => request)).toEqual([{}])
  },
)

test.each([
  [
    'url and account',
    { url: 'https://h.example/', account: 'a' },
    400,
    { fields: [{ key: 'account' }] },
  ],
  ['no HTTP URL', { url: 'ftp://h.example/' }, 400, { fields: [{ key: 'url' }] }],
  ['an unknown field', { uri: 'https://h.example/' }, 400, { fields: [{ key: 'uri' }] }],
  [
    'an unknown account',
    { account: 'missing' },
    404,
    { message: 'Account record was not found for requested ID' },
  ],
])('testWebhookTarget: %s, is rejected', async (_name, body, ...expected) => {
  const answer = await testTarget(body)
  expect([answer.status, answer.body]).toMatchObject(expected)
  expect(requests).toEqual([])
})

test('testWebhookTarget: too many tests, status 429 with ttl', async () => {
  const answer = await testTarget({ url: 'https://busy.example/' })
  expect([answer.status, answer.body]).toMatchObject([429, { ttl: 3 }])
})

test('testWebhookTarget: a token without the scope *, is rejected', async () => {
  const token = await mint(call, { scopes: ['api'] })
  const answer = await call('POST', path, { token, body: { url: 'https://h.example/' } })
  expect([answer.status, answer.body]).toMatchObject([403, { requestedScope: '*' }])
  expect(requests).toEqual([])
})
