import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { createMetrics } from '@posthorn/telemetry'
import { createOAuth2, type OAuth2Options } from './create-oauth2.ts'

test('createOAuth2: with a mapped provider origin, calls the other origin', async () => {
  const server = createServer(({ url }, response) => void response.end(url)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using stack = new AsyncDisposableStack()
  stack.defer(() => void server.close())
  const fake = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const create = (oauthEgressPolicy: 'link-local' | 'private') =>
    createOAuth2(stack, {
      metrics: createMetrics(`test ${oauthEgressPolicy}`),
      config: { oauthEgressPolicy, providerOrigins: { 'https://oauth2.googleapis.com': fake } },
      proxy: () => Promise.resolve(undefined),
    } as Partial<OAuth2Options> as OAuth2Options)
  const request = { method: 'POST', url: 'https://oauth2.googleapis.com/token?a=b' } as const
  const { status, body } = await create('link-local').http.call(request)
  expect({ status, body: body.toString() }).toEqual({ status: 200, body: '/token?a=b' })
  // The egress policy applies to the origin that replaces Google's origin.
  expect(await create('private').http.call(request)).toMatchObject({ outcome: 'egress-blocked' })
})
