import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { accountCommands } from '@posthorn/contracts/commands'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { sendingWorld } from './sending-world.ts'

const world = await sendingWorld()
const impatient = await world.servers.start({ SVC_TIMEOUT: '300ms' })
await impatient.call('POST', '/v1/account', {
  body: {
    account: 'slow',
    name: 'Slow',
    imap: { host: 'h', port: 993, auth: { user: 'u', pass: 'p' } },
  },
})
const silence = Promise.withResolvers<never>()
silence.promise.catch(() => undefined)
const bus = await world.servers.connectBus()
await bus.serve({
  queue: 'private',
  keys: [`shard.${shardOf('slow')}`],
  handlers: [on(accountCommands.listMessages, () => silence.promise)],
})
afterAll(async () => {
  silence.reject(new Error('end of the tests'))
  await bus[Symbol.asyncDispose]()
  await world.stop()
})

const set = async (webhooksHeaderAlias: string | null) => {
  const { status } = await impatient.call('POST', '/v1/settings', { body: { webhooksHeaderAlias } })
  expect(status).toBe(200)
}

/**
 * Calls an API operation whose worker does not reply. Returns the status, and whether the wait was
 * extended by the timeout header.
 */
async function wait(headers: Record<string, string>) {
  const started = performance.now()
  const { status, body } = await impatient.call('GET', '/v1/account/slow/messages?path=INBOX', {
    headers,
  })
  const waitedMs = performance.now() - started
  return { status, fields: body.fields, isExtended: waitedMs >= 950 }
}

test('X-EE-Timeout: extends the timeout while webhooksHeaderAlias is set', async () => {
  const long = { 'X-EE-Timeout': '1000' }
  const invalid = { 'X-EE-Timeout': 'soon' }
  // The timeout header with the alias prefix is ignored while no prefix is set, so its invalid
  // value is no error.
  expect(await wait(invalid)).toMatchObject({ status: 504 })
  await set('X-EE-')
  expect(await wait(long)).toEqual({ status: 504, isExtended: true })
  expect(await wait(invalid)).toMatchObject({
    status: 400,
    fields: [{ path: 'x-ee-timeout', message: expect.stringMatching(/^"x-ee-timeout" must be /) }],
  })
  // The header X-SVC-Timeout takes precedence over the header with the alias prefix.
  expect(await wait({ ...invalid, 'X-SVC-Timeout': '1000' })).toEqual({
    status: 504,
    isExtended: true,
  })
  await set(null)
  expect(await wait(invalid)).toMatchObject({ status: 504 })
})

test('X-EE-Idempotency-Key: identifies a submission while webhooksHeaderAlias is set', async () => {
  const message = { to: [{ address: 'ada@x.example' }], text: 'once' }
  const submit = async (headers: Record<string, string>) =>
    (await world.submit(message, headers)).body
  const old = { 'X-EE-Idempotency-Key': 'k1' }
  expect(await submit(old)).not.toHaveProperty('idempotency')
  await set('X-EE-')
  // The setting of the alias prefix was changed at another replica, so this replica may apply the
  // change later.
  const first = await eventually(async () => {
    const body = await submit(old)
    expect(body).toMatchObject({ idempotency: { key: 'k1' } })
    return body
  })
  expect(await submit(old)).toMatchObject({
    queueId: first['queueId'],
    idempotency: { key: 'k1', status: 'HIT' },
  })
  expect(await submit({ ...old, 'Idempotency-Key': 'k2' })).toMatchObject({
    idempotency: { key: 'k2', status: 'MISS' },
  })
})
