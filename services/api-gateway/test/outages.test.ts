import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { cuttable } from './cuttable.ts'
import { registration, testServers } from './gateway.ts'

const servers = await testServers()
const postgres = await cuttable(servers.env.DATABASE_URL)
const rabbit = await cuttable(servers.broker.url)
const { call, url } = await servers.start({
  DATABASE_URL: postgres.url,
  AMQP_URL: rabbit.url,
  // The command timeout is 1 h, so an API request that waited for the unavailable Postgres or
  // RabbitMQ would exceed the timeout of the test.
  SVC_TIMEOUT: '1h',
})
afterAll(async () => {
  await servers.stop()
  postgres.close()
  rabbit.close()
})

await call('POST', '/v1/account', { body: registration('before') })
const sendOnly = (account: string) => ({
  ...registration(account),
  imap: false,
  email: 'a@mail.example',
})
const submission = { to: [{ address: 'b@mail.example' }], text: 'x' }

const ready = async () => (await fetch(`${url}/health/ready`)).status

test('without RabbitMQ: accounts and submissions are stored, worker operations respond 503 immediately', async () => {
  rabbit.cut()
  await eventually(async () => {
    const { body } = await call('GET', '/v1/account/before/mailboxes')
    expect(body).toMatchObject({ statusCode: 503, code: 'NotYetConnected', state: 'init' })
  })
  const added = await call('POST', '/v1/account', { body: sendOnly('a') })
  expect([added.status, added.body['state']]).toEqual([200, 'new'])
  const submitted = await call('POST', '/v1/account/a/submit', { body: submission })
  expect(submitted.status).toBe(200)
  const changed = await call('POST', '/v1/settings', { body: { notifyText: false } })
  expect(changed.status).toBe(200)
  const unserved = await call('GET', '/v1/account/before/mailboxes')
  expect(unserved.body).toMatchObject({ statusCode: 503, code: 'NotYetConnected' })
  expect(await ready()).toBe(200)
  await rabbit.mend()
})

test('a new replica is not ready before RabbitMQ is connected', async () => {
  rabbit.cut()
  const starting = servers.start({ AMQP_URL: rabbit.url })
  await rabbit.mend()
  await using replica = await starting
  const metrics = await (await fetch(`${replica.url}/metrics`)).text()
  expect(metrics).toMatch(/^posthorn_bus_up\{.*\} 1$/m)
})

test('without RabbitMQ: the service starts after a while', async () => {
  const alone = await servers.start({ AMQP_URL: 'amqp://nobody@127.0.0.1:1' })
  expect((await alone.call('POST', '/v1/account', { body: sendOnly('alone') })).status).toBe(200)
  expect((await alone.call('POST', '/v1/account/alone/submit', { body: submission })).status).toBe(
    200,
  )
  expect((await alone.call('GET', '/v1/account/alone/mailboxes')).body).toMatchObject({
    statusCode: 503,
    code: 'NotYetConnected',
  })
  await alone[Symbol.asyncDispose]()
})

const unavailable = {
  statusCode: 503,
  error: 'Service Unavailable',
  message: 'The service is temporarily unavailable, retry later',
}

test('without Postgres: all requests respond 503 until it is available', async () => {
  postgres.cut()
  for (const request of [
    () => call('GET', '/v1/accounts'),
    () => call('POST', '/v1/account', { body: sendOnly('b') }),
    () => call('POST', '/v1/account/a/submit', { body: submission }),
  ])
    expect((await request()).body).toEqual(unavailable)
  expect(await ready()).toBe(503)
  await postgres.mend()
  await eventually(async () => expect((await call('GET', '/v1/accounts')).status).toBe(200))
  await eventually(async () => expect(await ready()).toBe(200))
})

test('with an unresponsive Postgres: requests respond 503 and hanging connections are dropped', async () => {
  expect((await call('GET', '/v1/accounts')).status).toBe(200)
  postgres.silence(true)
  // A connection that waits for Postgres during the outage never gets a response, so the outage is
  // permanent for this connection.
  const answers = await Promise.all([
    call('GET', '/v1/accounts'),
    call('POST', '/v1/account/a/submit', { body: submission }),
  ])
  for (const { body } of answers) expect(body).toEqual(unavailable)
  postgres.silence(false)
  await eventually(async () => expect((await call('GET', '/v1/accounts')).status).toBe(200))
  // There are more API requests than Postgres connections, so a hanging connection would be used.
  // On a busy machine, some requests may exceed the statement timeout of 4 s.
  await eventually(async () => {
    const many = await Promise.all(Array.from({ length: 40 }, () => call('GET', '/v1/accounts')))
    expect(many.map(({ status }) => status)).toEqual(Array(40).fill(200))
  })
})
