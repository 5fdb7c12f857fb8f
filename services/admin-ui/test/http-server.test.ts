import { afterAll, expect, test } from '@jest/globals'
import { testBus, testDatabase } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
stack.defer(() => Promise.all([database.drop(), broker.drop()]).then(() => undefined))

/** Starts admin-ui with additional variables. Returns the URL of its HTTP server. */
async function start(variables: Record<string, string> = {}): Promise<string> {
  const config = readConfig({
    DATABASE_URL: database.roleUrl('posthorn_admin_ui'),
    AMQP_URL: broker.url,
    SVC_GATEWAY_URL: 'http://127.0.0.1:9',
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    ...variables,
  })
  const app = stack.use(await startApp(config, new AbortController().signal))
  return `http://127.0.0.1:${app.port}`
}

const own = { 'x-svc-admin': '1' }
const proxied = { ...own, 'x-forwarded-for': '198.51.100.1' }

test('admin-ui: reports health and metrics, and unknown endpoints in JSON', async () => {
  const url = await start()
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('posthorn_http_connections')
  const unknown = await fetch(`${url}/admin/session/nothing`, { headers: own })
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { message: 'Not Found' }])
  expect(unknown.headers.get('cache-control')).toBe('no-store')
  const foreign = await fetch(`${url}/admin/session/sign-in`, { method: 'POST' })
  expect([foreign.status, await foreign.json()]).toMatchObject([403, { error: 'Forbidden' }])
})

test('SVC_ADMIN_ADDRESSES: other clients get 403 everywhere except health and metrics', async () => {
  const url = await start({
    SVC_ADMIN_ADDRESSES: '10.1.0.0/16',
    SVC_METRICS_ADDRESSES: '127.0.0.1',
  })
  for (const path of ['/', '/admin/', '/admin/assets/a.js', '/admin/session', '/nothing']) {
    const response = await fetch(url + path, { headers: own, redirect: 'manual' })
    expect([path, response.status, await response.json()]).toEqual([
      path,
      403,
      {
        statusCode: 403,
        error: 'Forbidden',
        message: 'The administration pages are closed to this network address',
      },
    ])
  }
  expect((await fetch(`${url}/health/live`)).status).toBe(200)
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
})

test('SVC_ADMIN_ADDRESSES: X-Forwarded-For counts only from trusted proxies', async () => {
  const addresses = { SVC_ADMIN_ADDRESSES: '127.0.0.1' }
  const statusAt = async (url: string, headers: Record<string, string>) =>
    (await fetch(`${url}/admin/session/nothing`, { headers })).status
  const direct = await start(addresses)
  expect(await statusAt(direct, proxied)).toBe(404)
  const behind = await start({ ...addresses, SVC_TRUSTED_PROXIES: '127.0.0.1' })
  expect(await statusAt(behind, proxied)).toBe(403)
  expect(await statusAt(behind, own)).toBe(404)
})
