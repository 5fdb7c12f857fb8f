import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts/commands/credentials'
import { LinkKey, linkTo } from '@posthorn/links'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { cuttable } from './cuttable.ts'
import { registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
const postgres = await cuttable(env.DATABASE_URL)
const { call, url } = await servers.start({ DATABASE_URL: postgres.url })
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
  postgres.close()
})

await call('POST', '/v1/account', { body: registration('acc') })
const { sealed } = await db
  .selectFrom('sealedSettings')
  .select('sealed')
  .where('key', '=', 'linkSecret')
  .executeTakeFirstOrThrow()
const unsealer = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])
const linkSecret = await unsealer.unseal(sealed, 'settings/linkSecret')
const key = new LinkKey(Buffer.from(linkSecret, 'hex'))
const msg = '<outage@mail.example>'
const pixel = linkTo(url, key, { act: 'open', acc: 'acc', msg }) ?? ''
const click = linkTo(url, key, { act: 'click', acc: 'acc', msg, url: 'https://a.example/' }) ?? ''
const unsubscribe =
  linkTo(url, key, { act: 'unsub', acc: 'acc', list: 'l', rcpt: 'a@b.example', msg }) ?? ''
const headers = { 'user-agent': 'Mozilla/5.0' }
const visit = (address: string) => fetch(address, { redirect: 'manual', headers })

test('links: without the link key, /open.gif responds 200, /redirect and /unsubscribe 503', async () => {
  expect((await visit(pixel)).status).toBe(200)
  const response = await visit(click)
  expect([response.status, response.headers.get('location')]).toEqual([503, null])
  expect((await visit(unsubscribe)).status).toBe(503)
})

test('POST /v1/authentication/form: without auth-bridge 503 WorkerNotAvailable, works again after', async () => {
  const handlers = [on(getLinkSecret, async () => ({ linkSecret }))]
  // Declares the queue `credentials`, which exists in production before auth-bridge stops.
  await (await bus.serve({ queue: 'credentials', handlers: [] }))[Symbol.asyncDispose]()
  await call('POST', '/v1/settings', { body: { serviceUrl: url } })
  const body = { redirectUrl: 'https://app.example/' }
  const createForm = () => call('POST', '/v1/authentication/form', { body })
  expect(await createForm()).toMatchObject({
    status: 503,
    body: { statusCode: 503, error: 'Service Unavailable', code: 'WorkerNotAvailable' },
  })
  await using _server = await bus.serve({ queue: 'credentials', handlers })
  await eventually(async () => expect(await createForm()).toMatchObject({ status: 200 }))
})

test('links: without Postgres, hits are recorded later and one-click unsubscribe responds 503', async () => {
  await bus.serve({
    queue: 'credentials',
    keys: ['credentials'],
    handlers: [on(getLinkSecret, async () => ({ linkSecret }))],
  })
  await eventually(async () => expect((await visit(unsubscribe)).status).toBe(200))
  postgres.cut()
  expect((await visit(pixel)).status).toBe(200)
  expect((await visit(click)).status).toBe(302)
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  expect((await fetch(unsubscribe, { method: 'POST', body })).status).toBe(503)
  await postgres.mend()
  await eventually(async () => {
    const rows = await db
      .selectFrom('events')
      .select('event')
      .where('body', 'like', `%${msg}%`)
      .orderBy('event')
      .execute()
    expect(rows.map(({ event }) => event)).toEqual(['trackClick', 'trackOpen'])
  })
  await eventually(async () =>
    expect((await fetch(unsubscribe, { method: 'POST', body })).status).toBe(200),
  )
})
