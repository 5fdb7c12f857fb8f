import { afterAll, expect, test } from '@jest/globals'
import { testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { call } = await servers.start()

test('license: active without a key; set and delete respond 403', async () => {
  expect((await call('GET', '/v1/license')).body).toEqual({
    active: true,
    type: expect.any(String),
    details: false,
    suspended: false,
  })
  const refused = { statusCode: 403, error: 'Forbidden', message: expect.any(String) }
  expect((await call('POST', '/v1/license', { body: { license: 'abc' } })).body).toEqual(refused)
  expect((await call('DELETE', '/v1/license')).body).toEqual(refused)
  const malformed = await call('POST', '/v1/license', { body: { license: 'x'.repeat(10_241) } })
  expect(malformed.body.fields?.map(({ path }) => path)).toEqual(['license'])
})
