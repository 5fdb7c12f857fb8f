import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually, freePort } from '@posthorn/testkit'
import { testWorld } from './world.ts'

const world = await testWorld()
afterEach(() => world.reset())
afterAll(() => world.close())

test.each([
  ['ECONNREFUSED', async () => `http://127.0.0.1:${await freePort()}`],
  ['ENOTFOUND', async () => 'http://gmail.invalid'],
])('connectError of an API account has the code %s of the network', async (code, originOf) => {
  const providerOrigins = { 'https://gmail.googleapis.com': await originOf() }
  await world.startWorker({ providerOrigins, oauthEgressPolicy: 'off' })
  const user = `${randomUUID()}@mail.example`
  const account = await world.registerApi('gmail', { user, accessToken: 'at' })
  await eventually(async () => {
    const row = await world.db
      .selectFrom('accountStates')
      .select(['state', 'lastError'])
      .where('account', '=', account)
      .executeTakeFirst()
    expect(row).toMatchObject({
      state: 'connectError',
      lastError: { serverResponseCode: code },
    })
  })
})
