import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { assertApiToken } from './assert-api-token.ts'

test('assertApiToken: rejects when another system listens at the address', async () => {
  const theirs = createServer(({ headers }, response) => {
    response.statusCode = headers.authorization === 'Bearer theirs' ? 200 : 401
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(theirs, 'listening')
  const url = `http://127.0.0.1:${(theirs.address() as AddressInfo).port}`
  await assertApiToken(url, 'theirs')
  await expect(assertApiToken(url, 'ours')).rejects.toThrow(`another system listens at ${url}`)
  theirs.closeAllConnections()
  theirs.close()
})
