import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { senderFixture, serveCredentials } from './fixture.ts'
import { smtpServers } from './smtp-servers.ts'

const fixture = await senderFixture()
await fixture.set({ ignoreMailCertErrors: true })
const { db, addAccount, addGateway, submit, row, finished, eventsOf } = fixture
const sender = await fixture.startSender()
const server = smtpServers()
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const stateOf = (gateway: string) =>
  db.selectFrom('gatewayStates').selectAll().where('gateway', '=', gateway).executeTakeFirst()

test('sender: submission with a gateway, uses its server and counts it', async () => {
  const [own, relay] = [await server(), await server()]
  const account = await addAccount(own)
  const gateway = await addGateway(relay)
  const ids = await Promise.all(Array.from({ length: 12 }, () => submit({ account, gateway })))
  for (const id of ids) expect(await finished(id)).toMatchObject({ state: 'sent', attempts: 1 })
  expect([own.accepted.length, relay.accepted.length]).toEqual([0, 12])
  expect(await stateOf(gateway)).toMatchObject({
    deliveries: '12',
    lastUse: expect.any(Date),
    lastError: null,
  })
})

test('sender: account without SMTP, sends by a gateway', async () => {
  const relay = await server()
  const account = await addAccount(relay)
  await db.updateTable('accounts').set({ smtp: null }).where('account', '=', account).execute()
  const queueId = await submit({ account, gateway: await addGateway(relay) })
  expect(await finished(queueId)).toMatchObject({ state: 'sent' })
})

test('sender: gateway with a login, uses its credentials', async () => {
  const logins: unknown[] = []
  const relay = await server({
    requireLogin: true,
    behaviour: { onLogin: ({ user, password }) => void logins.push([user, password]) },
  })
  await using bridge = await serveCredentials(fixture.broker.url, () => ({
    user: 'relay-user',
    pass: 'relay-pass',
  }))
  const account = await addAccount({ host: 'nowhere.invalid', port: 1 }, { auth: { user: 'me' } })
  const gateway = await addGateway(relay, 'relay-user')
  expect(await finished(await submit({ account, gateway }))).toMatchObject({ state: 'sent' })
  expect(bridge.requests).toEqual([gateway])
  expect(logins).toEqual([['relay-user', 'relay-pass']])
})

test('gateway_states: last_error, is stored until the next acceptance', async () => {
  const relay = await server({
    behaviour: { onRecipient: () => ({ code: 550, text: '5.7.1 no relaying' }) },
  })
  const account = await addAccount(relay)
  const gateway = await addGateway(relay)
  await finished(await submit({ account, gateway }))
  expect(await stateOf(gateway)).toMatchObject({
    deliveries: '0',
    lastError: {
      created: expect.any(Number),
      status: 'error',
      code: 'EENVELOPE',
      response: '550 5.7.1 no relaying',
      responseCode: 550,
      command: 'RCPT TO',
      description: expect.stringContaining('no relaying'),
      networkRouting: null,
    },
  })
  relay.behaviour = {}
  await finished(await submit({ account, gateway }))
  expect(await stateOf(gateway)).toMatchObject({ deliveries: '1', lastError: null })
})

test('sender: deleted gateway, fails with GatewayNotFound', async () => {
  const own = await server()
  const account = await addAccount(own)
  const queueId = await submit({ account, gateway: 'gone' })
  expect(await finished(queueId)).toMatchObject({
    state: 'failed',
    attempts: 1,
    lastError: { code: 'GatewayNotFound' },
  })
  expect((await eventsOf(account)).map(({ event }) => event)).toEqual([
    'messageDeliveryError',
    'messageFailed',
  ])
  expect(own.accepted).toEqual([])
})

test('sender: gateway deleted during an attempt, records the acceptance', async () => {
  const relay = await server()
  const account = await addAccount(relay)
  const gateway = await addGateway(relay)
  relay.on('dot', async ({ defaultReply }) => {
    await db.deleteFrom('gateways').where('gateway', '=', gateway).execute()
    return defaultReply()
  })
  expect(await finished(await submit({ account, gateway }))).toMatchObject({ state: 'sent' })
  expect(await stateOf(gateway)).toBeUndefined()
})

test('sender: gateway that rejects logins, does not suspend own servers', async () => {
  const relay = await server({
    requireLogin: true,
    behaviour: { onLogin: () => ({ code: 535, text: '5.7.8 no' }) },
  })
  await using _bridge = await serveCredentials(fixture.broker.url, () => ({ user: 'x', pass: 'y' }))
  const own = await server()
  const account = await addAccount(own)
  const gateway = await addGateway(relay, 'x')
  const stuck = await submit({ account, gateway })
  await eventually(async () =>
    expect(await row(stuck)).toMatchObject({ lastError: { responseCode: 535 } }),
  )
  expect(await finished(await submit({ account }))).toMatchObject({ state: 'sent', attempts: 1 })
  relay.behaviour = {}
  expect(await finished(stuck)).toMatchObject({ state: 'sent' })
})

test('sender: changed gateway, opens a new session', async () => {
  const [first, second] = [await server(), await server()]
  const account = await addAccount(first)
  const gateway = await addGateway(first)
  await finished(await submit({ account, gateway }))
  await db
    .updateTable('gateways')
    .set(({ eb }) => ({ port: second.port, version: eb('version', '+', '1') }))
    .where('gateway', '=', gateway)
    .execute()
  await finished(await submit({ account, gateway }))
  expect([first.accepted.length, second.accepted.length]).toEqual([1, 1])
})
