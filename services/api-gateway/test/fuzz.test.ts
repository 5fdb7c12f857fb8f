import { afterAll, expect, test } from '@jest/globals'
import { settingKeys } from '@posthorn/contracts/settings/settings'
import fc from 'fast-check'
import { type Call, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { call } = await servers.start()
const sendOnly = { ...registration('sender'), imap: false, email: 'sender@mail.example' }
await call('POST', '/v1/account', { body: sendOnly })

/**
 * Generator of invalid and malicious values, which fuzzed API requests contain beside valid values.
 */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '******',
    'now',
    '2026-01-02',
    '0000-01-01',
    '9999-12-31T23:59:59Z',
    'http://a',
    'https://u:******@a/',
    'a@b.example',
    1e300,
    -1,
    2 ** 53,
    null,
    [],
    {},
  ),
)
const good = { account: 'x', name: 'x', imap: registration('x').imap, smtp: registration('x').smtp }

/**
 * Generator of an object with the given member names. Each member of the object has a valid or an
 * invalid value.
 */
const mixed = (names: readonly string[], right: Record<string, unknown>) =>
  fc
    .tuple(
      fc.subarray([...names], { maxLength: Math.min(4, names.length) }),
      fc.array(odd, { minLength: 4, maxLength: 4 }),
    )
    .map(([picked, values]) => ({
      ...right,
      ...Object.fromEntries(picked.map((name, index) => [name, values[index]])),
    }))

const server = mixed(
  [
    'host',
    'port',
    'secure',
    'auth',
    'tls',
    'useAuthServer',
    'disabled',
    'resyncDelay',
    'sentMailPath',
  ],
  good.imap,
)
const account = fc
  .tuple(
    mixed(
      [
        'account',
        'name',
        'email',
        'path',
        'subconnections',
        'webhooks',
        'webhooksCustomHeaders',
        'copy',
        'logs',
        'notifyFrom',
        'proxy',
        'smtpEhloName',
        'imapIndexer',
        'imap',
        'smtp',
        'locale',
        'tz',
      ],
      good,
    ),
    fc.option(server, { nil: false as const }),
  )
  .map(([body, imap]) => ({ ...body, imap }))
const token = mixed(
  ['account', 'description', 'scopes', 'metadata', 'restrictions', 'permissions', 'expires', 'ip'],
  {
    restrictions: { rateLimit: { maxRequests: 5, timeWindow: 60 } },
  },
)
const settings = mixed(settingKeys, {})
const submission = mixed(
  [
    'from',
    'replyTo',
    'to',
    'cc',
    'bcc',
    'envelope',
    'subject',
    'text',
    'html',
    'attachments',
    'messageId',
    'headers',
    'sendAt',
    'deliveryAttempts',
  ],
  {
    to: { address: 'a@b.example' },
    text: 'x',
  },
)

const content = mixed(['subject', 'text', 'html', 'previewText'], { html: '{{params.x}}' })
const template = fc
  .tuple(mixed(['account', 'name', 'description', 'format'], { account: null, name: 'x' }), content)
  .map(([body, content]) => ({ ...body, content }))
const gateway = mixed(['gateway', 'name', 'user', 'pass', 'host', 'port', 'secure'], {
  gateway: 'x',
  name: 'x',
  user: 'x',
  pass: 'x',
  host: 'a.example',
  port: 25,
})
const block = mixed(['account', 'recipient', 'reason'], {
  account: 'sender',
  recipient: 'a@b.example',
})

test.each<[string, string, fc.Arbitrary<object>]>([
  ['registrations', '/v1/account', account],
  ['tokens', '/v1/tokens', token],
  ['settings', '/v1/settings', settings],
  ['submissions', '/v1/account/sender/submit', submission],
  ['templates', '/v1/templates/template', template],
  ['gateways', '/v1/gateway', gateway],
  ['entries of lists', '/v1/blocklist/list.example', block],
])('fuzz: random bodies of %s never cause a 500', async (...[, path, bodies]) => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const answer = await call('POST', path, { body })
      const allowed = [200, 400, 404].includes(answer.status)
      expect(allowed ? 'taken or refused' : answer.body).toBe('taken or refused')
    }),
    { numRuns: 150 },
  )
})

test('fuzz: random paths and queries never cause a 500', async () => {
  const text = fc
    .string({ unit: 'binary', maxLength: 60 })
    .filter((text) => text.isWellFormed() && !['', '.', '..'].includes(text))
  const paths = fc.oneof(
    text.map((id) => `/v1/account/${encodeURIComponent(id)}`),
    text.map(
      (query) => `/v1/accounts?query=${encodeURIComponent(query)}&page=1048576&pageSize=1000`,
    ),
    text.map((path) => `/v1/account/sender/messages?path=${encodeURIComponent(path)}`),
    text.map((message) => `/v1/account/sender/message/${encodeURIComponent(message)}`),
    text.map((account) => `/v1/templates?account=${encodeURIComponent(account)}`),
    text.map((id) => `/v1/templates/template/${encodeURIComponent(id)}`),
    text.map((id) => `/v1/gateway/${encodeURIComponent(id)}`),
    text.map((id) => `/v1/blocklist/${encodeURIComponent(id)}`),
    text.map((text) => `/v1/settings?${encodeURIComponent(text)}=true`),
  )
  await fc.assert(
    fc.asyncProperty(paths, async (path) => expect(await statusOf(call, path)).not.toBe(500)),
    { numRuns: 150 },
  )
})

const statusOf = async (call: Call, path: string) => (await call('GET', path)).status
