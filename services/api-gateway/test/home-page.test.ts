import { afterAll, expect, test } from '@jest/globals'
import { admin, testServers } from './gateway.ts'

const servers = await testServers()
const plain = await servers.start()
const adminUrl = 'https://admin.example'
const linked = await servers.start({ SVC_ADMIN_URL: adminUrl })
afterAll(() => servers.stop())

/** `Accept` header of Chromium and Firefox for navigations. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers, redirect: 'manual' })

test('GET /: a browser gets a page without scripts that links documentation and health', async () => {
  const response = await get(`${plain.url}/`, browser)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/)
  expect(response.headers.get('vary')).toContain('Accept')
  const page = await response.text()
  expect(page).toContain('<h1>Posthorn</h1>')
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
  expect(links).toEqual(['docs/', 'openapi.json', 'health/ready'])
})

test('GET /: with SVC_ADMIN_URL, the page links the administration pages', async () => {
  const page = await (await get(`${linked.url}/`, browser)).text()
  expect(page).toContain(`href="${adminUrl}/admin/"`)
})

test.each([{}, { accept: '*/*' }, { accept: 'application/json' }] as Record<string, string>[])(
  'GET /: with the headers %j, responds 404 in JSON',
  async (headers) => {
    const response = await get(`${linked.url}/`, headers)
    expect([response.status, await response.json()]).toEqual([
      404,
      { statusCode: 404, error: 'Not Found', message: 'Not Found' },
    ])
  },
)

test('GET /admin: with SVC_ADMIN_URL, redirects to the administration pages, else 404', async () => {
  for (const path of ['/admin', '/admin/']) {
    const response = await get(`${linked.url}${path}`, browser)
    expect([response.status, response.headers.get('location')]).toEqual([302, `${adminUrl}/admin/`])
    expect((await get(`${plain.url}${path}`, browser)).status).toBe(404)
  }
})

test.each(['/admin/accounts', '/admin/api/nothing', '/nothing', '/ADMIN'])(
  'GET %s: is unknown and responds 404 in JSON to browsers too',
  async (path) => {
    const response = await get(`${linked.url}${path}`, browser)
    expect([response.status, await response.json()]).toMatchObject([404, { message: 'Not Found' }])
  },
)

test('API requests: a cookie is ignored, also beside a valid token', async () => {
  const headers = { cookie: '__Host-posthorn-session=secret' }
  const [without, withToken] = await Promise.all([
    linked.call('GET', '/v1/accounts', { token: null, headers }),
    linked.call('GET', '/v1/accounts', { token: admin, headers }),
  ])
  expect([without.status, withToken.status]).toEqual([401, 200])
})
