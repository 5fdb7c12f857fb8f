import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { testWorld } from './world.ts'

const world = await testWorld()
afterAll(() => world.close())

/** Port on which no server listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test.each([
  ['ECONNREFUSED', async () => `http://127.0.0.1:${await closedPort()}`],
  ['ENOTFOUND', async () => 'http://gmail.invalid'],
])(
  'connectError of an API account has the code %s of the network',
  async (code, originOf) => {
    const providerOrigins = { 'https://gmail.googleapis.com': await originOf() }
    await world.startWorker({ providerOrigins, oauthEgressPolicy: 'off' })
    const user = `${randomUUID()}@mail.example`
    const account = await world.registerApi('gmail', { user, accessToken: 'at' })
    await eventually(
      async () => {
        const row = await world.db
          .selectFrom('accountStates')
          .select(['state', 'lastError'])
          .where('account', '=', account)
          .executeTakeFirst()
        expect(row).toMatchObject({
          state: 'connectError',
          lastError: { serverResponseCode: code },
        })
      },
      { timeoutMs: 40_000 },
    )
    await world.reset()
  },
  60_000,
)
