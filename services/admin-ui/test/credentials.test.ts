import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { startFakeGateway } from './call-world.ts'
import {
  type AdminWorld,
  adminWorld,
  hashOf,
  type Replica,
  setUpOwner,
  type TestBrowser,
} from './fixture.ts'

const path = '/admin/call/v1/stats'

let gateway: Awaited<ReturnType<typeof startFakeGateway>>
let world: AdminWorld
let replica: Replica
let owner: TestBrowser
beforeAll(async () => {
  gateway = await startFakeGateway()
  world = await adminWorld({ SVC_GATEWAY_URL: gateway.url })
  replica = await world.start()
  owner = (await setUpOwner(replica)).browser
})
afterAll(async () => {
  await world.stop()
  await gateway[Symbol.asyncDispose]()
})

/** Returns the credential with which admin-ui forwarded the last call to api-gateway. */
function lastCredential(): string {
  const { authorization = '' } = gateway.requests.at(-1)?.headers ?? {}
  return /^Bearer (sess_[\w-]{43})$/.exec(authorization)?.[1] ?? ''
}

/**
 * Finds a person's session by its credential, with the database function that api-gateway calls.
 */
async function findByCredential(credential: string) {
  const query = sql<{ email: string; role: string }>`
    select email, role from admin_sessions_by_credentials(array[${hashOf(credential)}])`
  return (await query.execute(world.db)).rows
}

test('a forwarded call: has the derived credential and not the cookie', async () => {
  expect((await owner.get(path)).status).toBe(200)
  const { cookie, ...headers } = gateway.requests.at(-1)?.headers ?? {}
  expect(cookie).toBeUndefined()
  expect(JSON.stringify(headers)).not.toContain(owner.cookie)
  const rows = await findByCredential(lastCredential())
  expect(rows).toEqual([{ email: 'owner@example.com', role: 'owner' }])
})

test('credentials: differ per session, and end with the session', async () => {
  await owner.get(path)
  const first = lastCredential()
  const other = replica.browser()
  await other.signIn('owner@example.com')
  await other.get(path)
  const second = lastCredential()
  expect(second).not.toBe(first)
  await owner.send('DELETE', '/admin/session/sessions')
  expect(await findByCredential(second)).toEqual([])
  expect(await findByCredential(first)).toHaveLength(1)
  const before = gateway.requests.length
  expect((await other.get(path)).status).toBe(401)
  expect(gateway.requests).toHaveLength(before)
})
