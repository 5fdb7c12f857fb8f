import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from '@jest/globals'
import { Posthorn } from '@posthorn/client'
import { freePort } from '@posthorn/local'
import { eventually, testOAuthDovecot, type TestDovecot } from '@posthorn/testkit'
import { startWorld, untilConnected } from '../world.ts'
import { useByToken } from './use-by-token.ts'

// Accounts whose OAuth2 access tokens the API caller manages, at a Dovecot with token mechanisms.

const opened = new AsyncDisposableStack()
afterAll(() => opened.disposeAsync())

/** Valid OAuth2 access tokens and their users, as Dovecot reads them (RFC 7662). */
const valid = new Map<string, string>()
const introspection = createServer((request, response) => {
  void text(request).then((body) => {
    const username = valid.get(new URLSearchParams(body).get('token') ?? '')
    const reply = username === undefined ? { active: false } : { active: true, username }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
}).listen(0, '127.0.0.1')
await once(introspection, 'listening')
opened.defer(() => void introspection.close())
const { port } = introspection.address() as AddressInfo
const introspectionUrl = `http://127.0.0.1:${port}/`

const proxyPort = await freePort()
const world = opened.use(
  await startWorld({
    names: [
      'api-gateway',
      'auth-bridge',
      'sync-worker',
      'sender',
      'webhook-dispatcher',
      'imap-proxy',
    ],
    settings: {
      ignoreMailCertErrors: true,
      imapProxyServerEnabled: true,
      imapProxyServerPort: proxyPort,
    },
  }),
)
const [byXoauth2, byOAuthBearer] = await Promise.all([
  testOAuthDovecot(introspectionUrl, ['xoauth2']),
  testOAuthDovecot(introspectionUrl, ['oauthbearer']),
])
for (const dovecot of [byXoauth2, byOAuthBearer]) opened.defer(() => dovecot.drop())
const { posthorn } = world

function serversOf(dovecot: TestDovecot, auth: { user: string; accessToken: string }) {
  const { host, imapPort, submissionPort } = dovecot
  return { imap: { host, port: imapPort, auth }, smtp: { host, port: submissionPort, auth } }
}

async function register(account: string, dovecot: TestDovecot, accessToken: string) {
  const user = `${account}@mail.test`
  await posthorn.createAccount({
    body: { account, name: account, email: user, ...serversOf(dovecot, { user, accessToken }) },
  })
}

async function untilState(account: string, state: string): Promise<void> {
  await eventually(async () => expect((await posthorn.getAccount({ account })).state).toBe(state))
}

test.each([
  ['XOAUTH2', byXoauth2, 'ann'],
  ['OAUTHBEARER', byOAuthBearer, 'ben'],
] as const)(
  '%s: token of the caller receives, sends, and serves the IMAP proxy',
  async (...row) => {
    const [, dovecot, account] = row
    const address = `${account}@mail.test`
    valid.set(`token of ${account}`, account)
    const servers = serversOf(dovecot, { user: address, accessToken: `token of ${account}` })
    const verified = await posthorn.verifyAccount({ body: servers })
    expect(verified).toEqual({ imap: { success: true }, smtp: { success: true } })
    await register(account, dovecot, `token of ${account}`)
    await untilConnected(world, account)
    expect(await posthorn.getAccount({ account })).toMatchObject({
      imap: { auth: { user: address, accessToken: '******' } },
      smtp: { auth: { user: address, accessToken: '******' } },
    })
    await useByToken(world, { account, dovecot, proxyPort })
  },
)

test('wrong token: authenticationError, until the caller stores a valid one', async () => {
  await register('eve', byXoauth2, 'wrong')
  await world.webhook(({ event, account }) => event === 'authenticationError' && account === 'eve')
  await untilState('eve', 'authenticationError')
  const { lastError } = await posthorn.getAccount({ account: 'eve' })
  expect(JSON.stringify(lastError)).not.toContain('wrong')
  const verified = await posthorn.verifyAccount({
    body: serversOf(byXoauth2, { user: 'eve@mail.test', accessToken: 'wrong' }),
  })
  expect(verified).toMatchObject({ imap: { success: false }, smtp: { success: false } })

  valid.set('right', 'eve')
  const auth = { user: 'eve@mail.test', accessToken: 'right' }
  const update = { partial: true, auth }
  await posthorn.updateAccount({ account: 'eve', body: { imap: update, smtp: update } })
  await untilConnected(world, 'eve')
})

test('expired token: authenticationError at the next connection, an updated token recovers', async () => {
  valid.set('first', 'fay')
  await register('fay', byXoauth2, 'first')
  await untilConnected(world, 'fay')
  valid.delete('first')
  await posthorn.reconnectAccount({ account: 'fay', body: { reconnect: true } })
  await untilState('fay', 'authenticationError')
  valid.set('second', 'fay')
  const { token } = await posthorn.createToken({
    body: { account: 'fay', scopes: ['api'], description: 'owner' },
  })
  const auth = { user: 'fay@mail.test', accessToken: 'second' }
  const owner = new Posthorn({ url: world.url, token, retryForMs: 0 })
  await owner.updateAccount({ account: 'fay', body: { imap: { partial: true, auth } } })
  await untilConnected(world, 'fay')
})
