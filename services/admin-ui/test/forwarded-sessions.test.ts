import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { AuditPage } from '@posthorn/contracts/admin/audit'
import { eventually } from '@posthorn/testkit'
import { startFakeGateway } from './call-world.ts'
import {
  type AdminWorld,
  adminWorld,
  hashOf,
  join,
  password,
  type Replica,
  setUpOwner,
  type TestBrowser,
} from './fixture.ts'

let gateway: Awaited<ReturnType<typeof startFakeGateway>>
let world: AdminWorld
let a: Replica
let b: Replica
let owner: TestBrowser

beforeAll(async () => {
  gateway = await startFakeGateway()
  world = await adminWorld({ SVC_GATEWAY_URL: gateway.url })
  ;[a, b] = await Promise.all([world.start(), world.start()])
  owner = (await setUpOwner(a)).browser
})
afterAll(async () => {
  await world.stop()
  await gateway[Symbol.asyncDispose]()
})

test('a forwarded call: has the credential of the session, not the cookie, and is listed', async () => {
  gateway.reply = (_request, response) => void response.end('{"ok":true}')
  const reply = await owner.send('PUT', '/admin/call/v1/account/jane', { body: { name: 'Jane' } })
  expect(reply).toMatchObject({ status: 200, body: { ok: true } })
  const headers = gateway.requests.at(-1)?.headers
  const credential = headers?.authorization?.replace('Bearer ', '') ?? ''
  const session = world.db.selectFrom('adminSessions').select('id')
  await session.where('credentialHash', '=', hashOf(credential)).executeTakeFirstOrThrow()
  expect(headers).not.toHaveProperty('cookie')
  await eventually(async () => {
    const { body } = await owner.get<AuditPage>('/admin/audit?account=jane')
    const changed = { operation: 'updateAccount', keys: ['name'], outcome: 'done' }
    expect(body.entries).toMatchObject([changed])
  })
})

test('a forged call without the header of the pages: 403, nothing is forwarded', async () => {
  const before = gateway.requests.length
  const headers = { 'x-svc-admin': '' }
  expect((await owner.send('GET', '/admin/call/v1/stats', { headers })).status).toBe(403)
  expect(gateway.requests).toHaveLength(before)
})

test('a sign-out at another replica: ends the open stream', async () => {
  const email = 'support@example.com'
  await join(owner, a, { email, role: 'support' })
  const browser = a.browser()
  await browser.signIn(email, password)
  gateway.reply = (_request, response) => void response.write(': open\n\n')
  const headers = { cookie: `posthorn-session=${browser.cookie}`, 'x-svc-admin': '1' }
  const stream = send(`${a.url}/admin/call/v1/changes`, { headers })
  stream.end()
  const [incoming] = (await once(stream, 'response')) as [IncomingMessage]
  const closed = new Promise((resolve) => {
    incoming.on('error', () => undefined).once('close', resolve)
  })
  incoming.resume()
  const other = b.browser()
  other.cookie = browser.cookie
  expect((await other.post('/admin/session/sign-out')).status).toBe(204)
  await closed
})
