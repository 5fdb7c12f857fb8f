import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import {
  type AccountRegistration,
  Posthorn,
  type Submission,
  type SubmissionResult,
} from '@posthorn/client'
import { shardCount } from '@posthorn/contracts/shards'
import { freePort } from '@posthorn/local'
import {
  eventually,
  RawClient,
  smtpFaults,
  startImapScript,
  startSmtpScript,
  tapBroker,
} from '@posthorn/testkit'
import got from 'got'
import { Canaries, dumpColumns, readLogs } from '../canaries.ts'
import { startWorld } from '../world.ts'

// Stores a secret in every field for a secret, logs in to the proxies with right and wrong
// passwords and causes failures. Then searches all output for the secrets: logs at trace level,
// metrics, responses, webhooks, bus messages and the database.

const canaries = new Canaries()
const secret = (name: string) => canaries.get(name)

await using opened = new AsyncDisposableStack()
const imap = opened.use(
  await startImapScript({
    users: { good: secret('IMAP password'), server: secret('access token of the auth server') },
  }),
)
const smtp = opened.use(await startSmtpScript({ requireLogin: true, plain: true }))
const operator = createServer((request, response) => {
  const user = { user: 'server', accessToken: secret('access token of the auth server') }
  const login = Buffer.from(`login of the auth server:${secret('login of the auth server')}`)
  const isAuthorized =
    request.headers.authorization === `Basic ${login.toString('base64')}` &&
    request.url?.includes('account=by-server')
  response
    .writeHead(isAuthorized ? 200 : 500)
    .end(JSON.stringify(isAuthorized ? user : { pass: secret('incomplete response') }))
}).listen(0, '127.0.0.1')
await once(operator, 'listening')
opened.defer(() => void operator.close())
const [imapProxyPort, smtpProxyPort] = [await freePort(), await freePort()]
const world = opened.use(
  await startWorld({
    env: { SVC_LOG_LEVEL: 'trace' },
    settings: {
      imapProxyServerEnabled: true,
      imapProxyServerPort: imapProxyPort,
      smtpServerEnabled: true,
      smtpServerPort: smtpProxyPort,
      tokenAuditLog: true,
    },
  }),
)
canaries.add('prepared token', world.token)
canaries.add('service secret', world.serviceSecret)
const tap = opened.use(
  await tapBroker(world.amqpUrl, {
    events: ['#'],
    invalidate: [''],
    commands: Array.from({ length: shardCount }, (_, shard) => `shard.${shard}`),
  }),
)
const closing = opened.move()
afterAll(() => closing.disposeAsync())

/** API responses, except the response that contains a token. */
const responses: string[] = []
const posthorn = new Posthorn({
  ...world,
  retryForMs: 0,
  fetch: async (...request) => {
    const response = await fetch(...request)
    responses.push(`${response.status} ${await response.clone().text()}`)
    return response
  },
})
const login = (url: string, name: string) =>
  url.replace('://', `://${encodeURIComponent(name)}:${secret(name)}@`)
const bearer = (name: string) => [{ key: 'Authorization', value: `Bearer ${secret(name)}` }]
const tls = { rejectUnauthorized: false }

function server(port: number, pass: string, user = 'good') {
  return { host: '127.0.0.1', port, secure: false, tls, auth: { user, pass } }
}

async function settle(account: string, state: string): Promise<void> {
  await eventually(
    async () => {
      expect((await posthorn.getAccount({ account })).state).toBe(state)
    },
    { timeoutMs: 150_000 },
  )
}

async function setUp(): Promise<void> {
  const { port } = operator.address() as AddressInfo
  await posthorn.updateSettings({
    body: {
      webhooks: login(world.receiver.url, 'login of webhooks'),
      authServer: login(`http://127.0.0.1:${port}/auth`, 'login of the auth server'),
      proxyUrl: login('socks5://127.0.0.1:1', 'login of the proxy for all'),
      httpProxyUrl: `http://${secret('key of the proxy for calls')}@127.0.0.1:1`,
      openAiAPIUrl: login('http://127.0.0.1:1', 'login of the summaries'),
      smtpServerPassword: secret('password of the SMTP proxy'),
      imapProxyServerPassword: secret('password of the IMAP proxy'),
      openAiAPIKey: secret('key for summaries'),
      webhooksCustomHeaders: bearer('header of webhooks'),
      webhookSecrets: [{ target: 'https://own.example/hook', secret: secret('key of a target') }],
    },
  })
  const pass = secret('password of a gateway')
  const gateway = { gateway: 'relay', name: 'relay', user: 'g', pass, host: '127.0.0.1', port: 1 }
  await posthorn.createGateway({ body: gateway })
  const { id: provider } = await posthorn.createOAuth2App({
    body: {
      name: 'G',
      enabled: true,
      provider: 'gmail',
      clientId: 'id',
      clientSecret: secret('client secret'),
      redirectUrl: 'https://mail.example/oauth',
    },
  })
  await posthorn.createAccount({
    body: {
      account: 'waits',
      name: 'waits',
      oauth2: { authorize: true, provider, redirectUrl: 'https://app.example/done' },
      webhooks: login('http://127.0.0.1:1/own', 'login of the target of an account that waits'),
      webhooksCustomHeaders: bearer('header of an account that waits'),
    },
  })
  await posthorn.createWebhookRoute({
    body: {
      name: 'route',
      targetUrl: login('http://127.0.0.1:1/route', 'login of a route'),
      customHeaders: bearer('header of a route'),
      enabled: true,
      content: { fn: 'return true', map: 'return payload' },
    },
  })
}

async function registerAccounts(): Promise<void> {
  const register = (account: string, more: Partial<AccountRegistration>) =>
    posthorn.createAccount({
      body: { account, name: account, email: `${account}@mail.test`, ...more },
    })
  const good = {
    imap: server(imap.port, secret('IMAP password')),
    smtp: server(smtp.port, secret('SMTP password')),
    logs: true,
  }
  await register('good', good)
  await register('bad', { imap: server(imap.port, secret('wrong IMAP password')) })
  await register('gone', { imap: server(1, secret('unused password')) })
  const proxy = login('socks5://127.0.0.1:1', 'login of a proxy')
  const webhooks = login('http://127.0.0.1:1/own', 'login of the target of an account')
  const own = bearer('header of an account')
  await register('proxied', { ...good, proxy, webhooks, webhooksCustomHeaders: own })
  await register('leaves', {
    ...good,
    webhooksCustomHeaders: bearer('header of an account that is gone'),
    webhooks: login('http://127.0.0.1:1/last', 'login of the target of an account that is gone'),
  })
  await posthorn.deleteAccount({ account: 'leaves' })
  const requested = { host: '127.0.0.1', port: imap.port, secure: false, tls, useAuthServer: true }
  await register('by-server', { imap: requested })
  await register('unknown-there', { imap: requested })
  await posthorn.verifyAccount({
    body: {
      imap: server(imap.port, secret('IMAP password that is tried')),
      smtp: server(1, secret('SMTP password that is tried')),
    },
  })
  await settle('good', 'connected')
  await settle('by-server', 'connected')
  await settle('bad', 'authenticationError')
  for (const account of ['gone', 'proxied', 'unknown-there']) await settle(account, 'connectError')
}

async function send(): Promise<void> {
  const message = { to: [{ address: 'jane@mail.test' }], subject: 'Hello', text: 'Hello' }
  const submit = (body: Submission) =>
    posthorn.submitMessage({ account: 'good', body: { ...message, ...body } })
  const until = (name: string, { queueId }: SubmissionResult) =>
    world.webhook(({ event, data }) => event === name && data.queueId === queueId)
  await until('messageSent', await submit({}))
  // The next message needs a new login at the SMTP server.
  for (const session of smtp.sessions) session.close()
  await eventually(() => smtp.sessions.length === 0)
  smtp.on('AUTH', smtpFaults.replies('535 5.7.8 No'))
  const failing = [
    await submit({ subject: 'Rejected', deliveryAttempts: 1 }),
    await submit({ gateway: 'relay', deliveryAttempts: 1 }),
  ]
  const proxy = login('http://127.0.0.1:1', 'login of the proxy of a message')
  const retried = await submit({ proxy })
  for (const response of failing) await until('messageFailed', response)
  await until('messageDeliveryError', retried)
}

async function logInToProxies(): Promise<void> {
  const { token } = await world.posthorn.createTokenAlias({
    body: { account: 'good', scopes: ['api', 'smtp', 'imap-proxy'], description: 'all proxies' },
  })
  expect(token).toEqual(expect.any(String))
  canaries.add('token', token)
  const wrong = [secret('wrong password'), 'ab'.repeat(32), secret('password of the IMAP proxy')]
  for (const pass of [token, ...wrong]) {
    const plain = Buffer.from(`\0good\0${pass}`).toString('base64')
    const reading = await RawClient.open(imapProxyPort)
    reading.send(`a LOGIN good ${pass}\r\nb AUTHENTICATE PLAIN ${plain}\r\nc LOGOUT\r\n`)
    const writing = await RawClient.open(smtpProxyPort)
    writing.send(`EHLO x\r\nAUTH PLAIN ${plain}\r\nQUIT\r\n`)
    const clients = [reading, writing]
    await eventually(() => clients.every((client) => client.closed), { timeoutMs: 150_000 })
    responses.push(...clients.map(({ text }) => text))
  }
  for (const sent of [token, secret('token that is none')]) {
    for (const path of ['/v1/accounts', '/v1/account/unknown', '/v1/settings?nonsense=1', '/x'])
      for (const options of [
        { searchParams: { access_token: sent } },
        { headers: { authorization: `Bearer ${sent}` } },
      ])
        responses.push(
          (await got(`${world.url}${path}`, { ...options, throwHttpErrors: false })).body,
        )
  }
  await posthorn.getToken({ token })
  await posthorn.getTokenLog({ token })
  await posthorn.deleteTokenAlias({ token })
}

async function readEverything(): Promise<void> {
  await posthorn.getSettings({
    webhooks: true,
    webhooksCustomHeaders: true,
    authServer: true,
    proxyUrl: true,
    serviceSecret: true,
    smtpServerPassword: true,
  })
  for (const account of ['good', 'bad', 'gone', 'proxied', 'by-server', 'unknown-there']) {
    await posthorn.getAccount({ account })
    await posthorn.getLogs({ account })
    // The API sends an error response for accounts without a connection.
    await posthorn.listMailboxes({ account }).catch(() => undefined)
  }
  await posthorn.listAccounts()
  await posthorn.listGateways()
  await posthorn.listOAuth2Apps()
  await posthorn.listOutbox()
  await posthorn.listTokens()
  await posthorn.listWebhookRoutes()
  await posthorn.listWebhookDeliveries()
  await posthorn.getStats()
  for (const url of Object.values(world.services.urls))
    responses.push((await got(`${url}/metrics`)).body)
  responses.push(...world.receiver.requests.map(({ body }) => body.toString()))
}

test('no secret appears in logs, metrics, responses, webhooks, bus messages or the database', async () => {
  await setUp()
  await registerAccounts()
  await send()
  await logInToProxies()
  await readEverything()
  const leaks: Record<string, string[]> = {}
  const search = (where: string, text: string) => {
    const names = canaries.find(text)
    if (names.length > 0) leaks[where] = names
  }
  for (const text of responses) search(`response: ${text.slice(0, 300)}`, text)
  for (const text of tap.messages) search(`broker: ${text.slice(0, 300)}`, text)
  for (const [column, text] of Object.entries(await dumpColumns(world.ownerUrl)))
    search(column, text)
  // Logs are searched last, because log lines are written in batches.
  const logs = await readLogs(world.logDir)
  for (const [file, text] of Object.entries(logs)) search(file, text)
  expect(leaks).toEqual({})
  const keyed = `Bearer ${secret('header of webhooks')}`
  expect(world.receiver.requests.map(({ headers }) => headers.authorization)).toContain(keyed)
  // Checks that the search for secrets had data to search.
  expect(Object.keys(logs)).toHaveLength(7)
  expect(Object.values(logs).join('')).toContain('"level":"trace"')
  await eventually(() => tap.messages.some((text) => text.startsWith('authenticationError.')))
  expect(responses.length).toBeGreaterThan(60)
}, 600_000)

test('Canaries.find: finds secrets in every encoding', () => {
  const hidden = secret('IMAP password')
  for (const text of [
    `x${hidden}x`,
    Buffer.from(`\0good\0${hidden}`).toString('base64'),
    Buffer.from(`u:${hidden}`).toString('base64'),
    Buffer.from(hidden).toString('hex'),
  ])
    expect(canaries.find(text)).toEqual(['IMAP password'])
  expect(canaries.find('nothing')).toEqual([])
})
