import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { cuttable } from './cuttable.ts'
import { type Answer, registration, testServers } from './gateway.ts'

const servers = await testServers()
const postgres = await cuttable(servers.env.DATABASE_URL)
const rabbit = await cuttable(servers.broker.url)
const { call, url } = await servers.start({ DATABASE_URL: postgres.url, AMQP_URL: rabbit.url })
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

async function timed(answer: Promise<Answer>) {
  const started = performance.now()
  return { ...(await answer), ms: performance.now() - started }
}
const ready = async () => (await fetch(`${url}/health/ready`)).status

test('without RabbitMQ accounts are registered and mail is taken at once; what needs a worker is a 503 at once', async () => {
  rabbit.cut()
  await eventually(async () => {
    const { body } = await call('GET', '/v1/account/before/mailboxes')
    expect(body).toMatchObject({ statusCode: 503, code: 'WorkerNotAvailable' })
  })
  const added = await timed(call('POST', '/v1/account', { body: sendOnly('a') }))
  expect([added.status, added.body['state']]).toEqual([200, 'new'])
  const submitted = await timed(call('POST', '/v1/account/a/submit', { body: submission }))
  expect(submitted.status).toBe(200)
  const changed = await timed(call('POST', '/v1/settings', { body: { notifyText: false } }))
  expect(changed.status).toBe(200)
  const asked = await timed(call('GET', '/v1/account/before/mailboxes'))
  expect(asked.body).toMatchObject({ statusCode: 503, code: 'WorkerNotAvailable' })
  for (const { ms } of [added, submitted, changed, asked]) expect(ms).toBeLessThan(1_500)
  expect(await ready()).toBe(200)
  await rabbit.mend()
})

test('the service starts without RabbitMQ, too', async () => {
  const alone = await servers.start({ AMQP_URL: 'amqp://nobody@127.0.0.1:1' })
  expect((await alone.call('POST', '/v1/account', { body: sendOnly('alone') })).status).toBe(200)
  expect((await alone.call('POST', '/v1/account/alone/submit', { body: submission })).status).toBe(
    200,
  )
  expect((await alone.call('GET', '/v1/account/alone/mailboxes')).body).toMatchObject({
    statusCode: 503,
    code: 'WorkerNotAvailable',
  })
  await alone[Symbol.asyncDispose]()
})

const unavailable = {
  statusCode: 503,
  error: 'Service Unavailable',
  message: 'The service cannot answer right now; retry shortly',
}

test('without Postgres everything is a 503 within seconds, and all is well once it is back', async () => {
  postgres.cut()
  for (const request of [
    () => call('GET', '/v1/accounts'),
    () => call('POST', '/v1/account', { body: sendOnly('b') }),
    () => call('POST', '/v1/account/a/submit', { body: submission }),
  ]) {
    const answer = await timed(request())
    expect(answer.body).toEqual(unavailable)
    expect(answer.ms).toBeLessThan(5_000)
  }
  expect(await ready()).toBe(503)
  await postgres.mend()
  await eventually(async () => expect((await call('GET', '/v1/accounts')).status).toBe(200))
  await eventually(async () => expect(await ready()).toBe(200))
})

test('when Postgres says nothing any more it is the same, and connections that hang are given up', async () => {
  expect((await call('GET', '/v1/accounts')).status).toBe(200)
  postgres.silence(true)
  const answers = await Promise.all([
    timed(call('GET', '/v1/accounts')),
    timed(call('POST', '/v1/account/a/submit', { body: submission })),
  ])
  for (const { body, ms } of answers) {
    expect(body).toEqual(unavailable)
    expect(ms).toBeLessThan(7_000)
  }
  postgres.silence(false)
  await eventually(
    async () => expect((await timed(call('GET', '/v1/accounts'))).status).toBe(200),
    { timeoutMs: 15_000 },
  )
  expect((await timed(call('GET', '/v1/accounts'))).ms).toBeLessThan(1_000)
})
