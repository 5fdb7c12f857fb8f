import { afterAll, afterEach, expect, test } from '@jest/globals'
import type { Settings } from '@posthorn/contracts/settings/settings'
import {
  eventually,
  sealedLogin,
  type SmtpScript,
  type SmtpScriptOptions,
  startProxy,
  startSmtpScript,
} from '@posthorn/testkit'
import { senderFixture, serveCredentials } from './fixture.ts'

// Tests of source addresses and proxies. Linux accepts every address of 127.0.0.0/8, like a machine
// with many addresses.
const fixture = await senderFixture()
const { db, addAccount, submit, row, finished, eventsOf } = fixture
const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of resources.splice(0).reverse()) await part[Symbol.asyncDispose]()
})
afterAll(() => fixture[Symbol.asyncDispose]())

async function server(options?: SmtpScriptOptions): Promise<SmtpScript> {
  const started = await startSmtpScript(options)
  resources.push({ [Symbol.asyncDispose]: () => started.close() })
  return started
}
async function sender(settings: Settings): Promise<void> {
  await fixture.set(settings)
  resources.push(await fixture.startSender())
}
async function proxy(options?: Parameters<typeof startProxy>[0]) {
  const started = await startProxy(options)
  resources.push(started)
  return started
}
const routingsOf = async (account: string) =>
  (await eventsOf(account)).map(({ data }) => data['networkRouting'])

test.each(['socks5', 'socks4a', 'http'])(
  'sender: proxy with %s, connects through it',
  async (protocol) => {
    const [smtp, through] = [await server(), await proxy()]
    through.names.set('mail.test', smtp.host)
    await sender({})
    const account = await addAccount({ host: 'mail.test', port: smtp.port })
    const url = `${protocol}://me:secret@${through.host}:${through.port}`
    const queueId = await submit({ account, proxy: url })
    const routing = {
      name: expect.any(String),
      proxy: `${protocol}://${through.host}:${through.port}`,
    }
    expect(await finished(queueId)).toMatchObject({ state: 'sent', networkRouting: routing })
    expect(through.requests).toEqual([
      expect.objectContaining({ host: 'mail.test', port: smtp.port, user: 'me' }),
    ])
    expect(await routingsOf(account)).toEqual([routing])
    expect(JSON.stringify(await eventsOf(account))).not.toContain('secret')
  },
)

test('sender: sealed proxy login, waits until auth-bridge unseals it', async () => {
  const smtp = await server()
  const through = await proxy({ user: 'me', pass: 's:cret' })
  const address = `socks5://me:s%3Acret@${through.host}:${through.port}`
  await sender({ proxyEnabled: true, proxyUrl: await sealedLogin(address) })
  const account = await addAccount(smtp)
  const [own, global] = [
    await submit({ account, proxy: await sealedLogin(address) }),
    await submit({ account }),
  ]
  for (const queueId of [own, global])
    await eventually(async () => {
      const { attempts, worker, nextAttemptAt } = await row(queueId)
      expect([attempts, worker, nextAttemptAt > new Date(1)]).toEqual([0, null, true])
    })
  expect(through.requests).toEqual([])
  resources.push(await serveCredentials(fixture.broker.url, () => ({ user: 'me', pass: 'x' })))
  await db
    .updateTable('outbox')
    .set({ nextAttemptAt: new Date(0) })
    .execute()
  const networkRouting = {
    name: expect.any(String),
    proxy: `socks5://${through.host}:${through.port}`,
  }
  for (const queueId of [own, global])
    expect(await finished(queueId)).toMatchObject({ state: 'sent', attempts: 1, networkRouting })
  expect(through.requests[0]).toMatchObject({ user: 'me', pass: 's:cret' })
})

test('sender: implicit TLS through a proxy, connects', async () => {
  const [smtp, through] = [await server({ secure: true }), await proxy()]
  through.withGreeting = false
  await sender({})
  const account = await addAccount(smtp, { secure: true })
  const url = `http://${through.host}:${through.port}`
  expect(await finished(await submit({ account, proxy: url }))).toMatchObject({ state: 'sent' })
})

test('requiresStartTls: server on loopback behind a proxy, requires STARTTLS', async () => {
  const [smtp, through] = [await server({ plain: true }), await proxy()]
  await sender({})
  const url = `socks5://${through.host}:${through.port}`
  for (const tls of [{}, { rejectUnauthorized: false }]) {
    const account = await addAccount(smtp, { tls })
    expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent' })
    expect(await finished(await submit({ account, proxy: url }))).toMatchObject({
      state: 'failed',
      lastError: { code: 'ETLS' },
    })
  }
  expect(smtp.accepted).toHaveLength(2)
})

test('tls.requireStartTls: false, sends unencrypted to a server without STARTTLS', async () => {
  const [smtp, through] = [await server({ plain: true }), await proxy()]
  await sender({})
  const account = await addAccount(smtp, { tls: { requireStartTls: false } })
  const url = `socks5://${through.host}:${through.port}`
  expect(await finished(await submit({ account, proxy: url }))).toMatchObject({ state: 'sent' })
})

test('tls.requireStartTls: false, still verifies the certificate of a server with STARTTLS', async () => {
  const smtp = await server()
  await sender({})
  const account = await addAccount(smtp, { tls: { requireStartTls: false } })
  expect(await finished(await submit({ account, maxAttempts: 1 }))).toMatchObject({
    state: 'failed',
    lastError: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  })
})

test('chooseNetworkPath: proxy of the account, precedes the global one', async () => {
  const [smtp, globalProxy, accountProxy] = [await server(), await proxy(), await proxy()]
  await sender({ proxyEnabled: true, proxyUrl: `socks5://${globalProxy.host}:${globalProxy.port}` })
  const account = await addAccount(smtp)
  await finished(await submit({ account }))
  await db
    .updateTable('accounts')
    .set({ proxy: `http://${accountProxy.host}:${accountProxy.port}` })
    .where('account', '=', account)
    .execute()
  await finished(await submit({ account }))
  expect(
    [globalProxy, accountProxy].map(({ requests }) => requests.map(({ kind }) => kind)),
  ).toEqual([['socks5'], ['http']])
})

test('sender: failing proxy of a submission, retries without suspending the account', async () => {
  const [smtp, through] = [await server(), await proxy()]
  through.rejects = true
  await sender({})
  const account = await addAccount(smtp)
  const stuck = await submit({ account, proxy: `socks5://${through.host}:${through.port}` })
  await eventually(async () =>
    expect(await row(stuck)).toMatchObject({ lastError: { code: 'EPROXY', command: 'CONN' } }),
  )
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent', attempts: 1 })
  through.rejects = false
  expect(await finished(stuck)).toMatchObject({ state: 'sent' })
  const [first] = await routingsOf(account)
  expect(first).toEqual({ proxy: `socks5://${through.host}:${through.port}` })
})

test('sender: proxy blocked by the egress policy, retries', async () => {
  await sender({})
  const account = await addAccount(await server())
  const submission = { account, proxy: 'http://169.254.169.254:80', maxAttempts: 2 }
  expect(await finished(await submit(submission))).toMatchObject({
    state: 'failed',
    attempts: 2,
    lastError: { code: 'EPROXY', message: expect.stringContaining('egress policy') },
  })
})

test('sender: requested local address, connects from it', async () => {
  const smtp = await server()
  await sender({ localAddresses: ['127.0.0.8', '127.0.0.9'], smtpEhloName: 'mail.example.com' })
  const account = await addAccount(smtp)
  const queueId = await submit({ account, localAddress: '127.0.0.9' })
  const routing = { localAddress: '127.0.0.9', name: 'mail.example.com' }
  expect(await finished(queueId)).toMatchObject({ state: 'sent', networkRouting: routing })
  expect(await routingsOf(account)).toEqual([routing])
  expect(smtp.accepted.map(({ helo }) => helo)).toEqual(['mail.example.com'])
})

test('sender: unavailable local address, is reported and not used', async () => {
  const smtp = await server()
  await sender({ localAddresses: ['192.0.2.7'] })
  for (const localAddress of ['127.0.0.9', '192.0.2.7']) {
    const account = await addAccount(smtp)
    expect(await finished(await submit({ account, localAddress }))).toMatchObject({ state: 'sent' })
    expect(await routingsOf(account)).toEqual([
      { name: expect.any(String), requestedLocalAddress: localAddress },
    ])
  }
})

test('sender: dedicated strategy, uses one address per account', async () => {
  const smtp = await server()
  const localAddresses = ['127.0.0.8', '127.0.0.9', '127.0.0.10']
  await sender({ localAddresses, smtpStrategy: 'dedicated' })
  const used = new Set<unknown>()
  for (let n = 0; n < 12; n++) {
    const account = await addAccount(smtp)
    await Promise.all(
      [submit({ account }), submit({ account })].map(async (id) => finished(await id)),
    )
    const [one, other] = (await routingsOf(account)) as { localAddress: string }[]
    expect(localAddresses).toContain(one?.localAddress)
    expect(other).toEqual(one)
    used.add(one?.localAddress)
  }
  expect(used.size).toBeGreaterThan(1)
})

test('sender: default network path, reports no networkRouting', async () => {
  const smtp = await server()
  await sender({ localAddresses: ['127.0.0.8'] })
  const account = await addAccount(smtp)
  expect(await finished(await submit({ account }))).toMatchObject({ networkRouting: null })
  expect(await routingsOf(account)).toEqual([undefined])
})
