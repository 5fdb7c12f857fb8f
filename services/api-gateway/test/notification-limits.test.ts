import { createHash } from 'node:crypto'
import { type ClientRequest, request as httpRequest } from 'node:http'
import { afterAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { testServers } from './gateway.ts'
import { receiveNotifications } from './notification-receiver.ts'

const servers = await testServers()
const trusted = { SVC_TRUSTED_PROXIES: '127.0.0.0/8' }
const limits = { SVC_UNVERIFIED_NOTIFICATIONS_PER_ADDRESS: '2' }
// Request bodies that are sent slowly stay slow for a whole test, even if a busy RabbitMQ confirms
// notifications late.
const slowBodies = { publicBodyTimeoutMs: 3_600_000 }
const gateway = await servers.start({ ...trusted, ...limits }, slowBodies)
const worker = await receiveNotifications(servers, { gateway })
const { received } = worker
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await servers.stop()
})

const hash = (secret: string) => createHash('sha256').update(secret).digest()
async function addWatch(account: string, secret: string) {
  await servers.db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, backend: 'graph' })
    .execute()
  const inAnHour = new Date(Date.now() + 3_600_000)
  await servers.db
    .insertInto('apiWatches')
    .values({
      account,
      remoteId: `watch ${account}`,
      clientStateHash: hash(secret),
      expiresAt: inAnHour,
      renewAt: inAnHour,
      state: 'active',
    })
    .execute()
}

const notify = (account: string, clientState: string, address: string) =>
  fetch(`${gateway.url}/oauth/msg/notification?${new URLSearchParams({ account }).toString()}`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: JSON.stringify({ value: [{ clientState }] }),
  })
/**
 * Sends a notification until the gateway responds 202. A busy RabbitMQ may not confirm a
 * notification within 2 s.
 */
const untilAccepted = (...notification: Parameters<typeof notify>) =>
  eventually(async () => expect((await notify(...notification)).status).toBe(202))
const secretsReceived = () => received.map(({ secretHash }) => secretHash)

test('300 forged notifications cost genuine ones of the same address nothing', async () => {
  const address = '192.0.2.1'
  for (const account of ['ann', 'bob', 'eve']) await addWatch(account, `secret of ${account}`)
  // The test sends more notifications than the limit. A notification no longer counts as soon as
  // the gateway has found its secret.
  for (const account of ['ann', 'bob', 'eve'])
    await untilAccepted(account, `secret of ${account}`, address)
  const forged = await Promise.all(
    Array.from({ length: 300 }, (_, at) => notify('ann', `guess ${at}`, address)),
  )
  const refused = forged.filter(({ status }) => status === 429)
  // The rate limit window of one minute may end during the test, so some forged notifications may
  // be accepted.
  expect(refused.length).toBeGreaterThanOrEqual(290)
  const [response] = refused
  const body = (await response?.json()) as Record<string, unknown>
  expect(body).toEqual({
    statusCode: 429,
    error: 'Too Many Requests',
    message: 'Rate limit exceeded',
    ttl: expect.any(Number),
  })
  expect(response?.headers.get('retry-after')).toBe(String(body['ttl']))
  const genuine = await Promise.all(
    Array.from({ length: 100 }, () => notify('ann', 'secret of ann', address)),
  )
  expect(genuine.filter(({ status }) => status === 429)).toEqual([])
  await untilAccepted('ann', 'secret of ann', address)
  await eventually(() =>
    expect(secretsReceived()).toContain(hash('secret of ann').toString('base64url')),
  )
  const guesses = forged.map((_, at) => hash(`guess ${at}`).toString('base64url'))
  expect(guesses.filter((guess) => secretsReceived().includes(guess)).length).toBeLessThanOrEqual(
    10,
  )
  await untilAccepted('ann', 'first notification of a new watch', '192.0.2.2')
})

test('pushes without a valid token get 403, above the limit 429', async () => {
  const push = async (address: string) => {
    const headers = { 'x-forwarded-for': address, authorization: 'Bearer x.y.z' }
    const response = await fetch(`${gateway.url}/oauth/gmail/push`, { method: 'POST', headers })
    return [response.status, response.headers.has('retry-after')]
  }
  for (let sent = 0; sent < 2; sent += 1) expect(await push('192.0.2.10')).toEqual([403, false])
  expect(await push('192.0.2.10')).toEqual([429, true])
  expect(await push('192.0.2.11')).toEqual([403, false])
})

test('slow bodies of one address do not keep notifications of others out', async () => {
  const slow = Array.from({ length: 40 }, () => slowNotification('192.0.2.20'))
  const statuses: (number | undefined)[] = []
  for (const request of slow)
    request.on('response', ({ statusCode }) => void statuses.push(statusCode))
  // The gateway reads only 8 notification bodies of up to 1 MiB per IP address at a time.
  await eventually(() => expect(statuses.length).toBeGreaterThanOrEqual(32))
  await untilAccepted('ann', 'any', '192.0.2.21')
  expect(new Set(statuses)).toEqual(new Set([503]))
  expect(statuses).toHaveLength(32)
  for (const request of slow) request.destroy()
})

function slowNotification(address: string): ClientRequest {
  const request = httpRequest(`${gateway.url}/oauth/msg/notification?account=ann`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address, 'transfer-encoding': 'chunked' },
  })
  request.on('error', () => undefined)
  request.write('{')
  return request
}

test('SVC_PUBLIC_RATE_LIMIT_PER_ADDRESS: limits each public page, and validation requests', async () => {
  await using limited = await servers.start({ ...trusted, SVC_PUBLIC_RATE_LIMIT_PER_ADDRESS: '2' })
  const statusOf = async (path: string, address: string, method = 'GET') => {
    const headers = { 'x-forwarded-for': address }
    const response = await fetch(limited.url + path, { method, headers, redirect: 'manual' })
    return [response.status, response.headers.has('retry-after')]
  }
  const handshake = '/oauth/msg/notification?validationToken=x'
  const routes: [string, string?][] = [
    ['/open.gif'],
    ['/redirect'],
    ['/unsubscribe'],
    ['/unsubscribe/address', 'POST'],
    ['/accounts/new'],
    ['/oauth'],
    [handshake, 'POST'],
  ]
  for (const [at, [path, method]] of routes.entries()) {
    const address = `192.0.2.${at + 100}`
    for (let sent = 0; sent < 2; sent += 1)
      expect((await statusOf(path, address, method))[0]).not.toBe(429)
    expect([path, ...(await statusOf(path, address, method))]).toEqual([path, 429, true])
  }
  expect((await statusOf('/open.gif', '192.0.2.200'))[0]).toBe(403)
  // API requests with an access token have a rate limit separate from the limit of notifications.
  expect((await statusOf('/v1/stats', '192.0.2.100'))[0]).toBe(401)
})
