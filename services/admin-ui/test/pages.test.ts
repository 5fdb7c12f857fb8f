import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { describeProblem } from '@posthorn/http'
import express, { type NextFunction, type Request, type Response, Router } from 'express'
import { requireOwnPage } from '../src/http/require-own-page.ts'
import { mountPages } from '../src/pages/mount-pages.ts'
import { sendRaw } from './call-world.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const script = 'assets/index-Ab3d.js'
const texts: Record<string, string> = {
  [script]: `render();${'// text\n'.repeat(500)}`,
  'assets/index-Ab3d.css': 'a { color: red }',
  'assets/kit-0f.js': 'export const kit = 1',
}
const entry = { file: script, isEntry: true, css: ['assets/index-Ab3d.css'], imports: ['_kit'] }

/** Writes a build of the administration pages whose script has compressed variants. */
async function writeBuild(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-pages-'))
  stack.defer(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'assets'))
  const manifest = { 'src/main.tsx': entry, _kit: { file: 'assets/kit-0f.js' } }
  const compressed = { br: brotliCompressSync, gz: gzipSync }
  const writes = [
    writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest)),
    writeFile(join(folder, 'secret.txt'), 'not an asset'),
    ...Object.entries(texts).map(([path, text]) => writeFile(join(folder, path), text)),
    ...Object.entries(compressed).map(([suffix, compress]) =>
      writeFile(join(folder, `${script}.${suffix}`), compress(texts[script] ?? '')),
    ),
  ]
  await Promise.all(writes)
  return folder
}

/**
 * Starts a server with the administration pages and the check against forged requests. Returns a
 * function that sends a request to the server.
 */
async function servePages(folder: string) {
  const routes = Router({ caseSensitive: true })
  mountPages(routes, pathToFileURL(`${folder}/`))
  routes.use('/admin', requireOwnPage(undefined))
  const app = express().disable('etag').use(routes)
  // Express recognizes a handler of errors by its four parameters.
  // oxlint-disable-next-line max-params
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { status, body } = describeProblem(error)
    response.status(status).json(body)
  })
  app.use((_request, response) => void response.status(404).json({ statusCode: 404 }))
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    sendRaw(port, path, { method, headers })
}

const get = await servePages(await writeBuild())
const unbuilt = await servePages(join(tmpdir(), 'posthorn-pages-absent'))

/** Headers of a browser that opens an address, and of a call of the pages' scripts. */
const navigation = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }
const call = {
  accept: '*/*',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
  'x-svc-admin': '1',
}

test.each(['/admin/', '/admin/accounts/a%2Fb', '/admin/audit', '/admin/people', '/admin/sessions'])(
  'pages: %s has the HTML with the assets of the build, and a policy with its own nonce',
  async (path) => {
    const { status, headers, body } = await get(path, navigation)
    const html = String(body)
    const [, nonce = ''] = /<meta property="csp-nonce" nonce="([^"]{24})">/.exec(html) ?? []
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    )
    expect(html).toContain('<html lang="en">')
    expect(html).toContain(`<script type="module" src="/admin/${script}"></script>`)
    expect(html).toContain('<link rel="stylesheet" href="/admin/assets/index-Ab3d.css">')
    expect(html).toContain('<link rel="modulepreload" href="/admin/assets/kit-0f.js">')
    expect(String((await get(path, navigation)).body)).not.toContain(nonce)
  },
)

test('pages: the origin and /admin redirect to /admin/, HEAD has no body', async () => {
  for (const path of ['/', '/admin']) {
    const { status, headers } = await get(path, navigation)
    expect([status, headers.location]).toEqual([302, '/admin/'])
  }
  const head = await get('/admin/', navigation, 'HEAD')
  expect([head.status, head.body.length]).toEqual([200, 0])
})

test('pages: calls of scripts to the path of a page get no HTML', async () => {
  expect((await get('/admin/audit', call)).status).toBe(404)
  expect((await get('/admin/nothing', call)).status).toBe(404)
  const { 'x-svc-admin': _own, ...unmarked } = call
  expect((await get('/admin/audit', unmarked)).status).toBe(403)
  expect((await get('/admin/accounts', { accept: 'application/json' })).status).toBe(403)
  expect((await get('/admin/accounts', navigation, 'POST')).status).toBe(403)
})

test.each([
  '/admin/session',
  '/admin/session/options',
  '/admin/call/v1/accounts',
  '/admin/frame/message/anna/AAAA',
  '/admin/live',
  '/admin/audit/download',
  '/admin/api/stats',
])('pages: %s is never a page, and a navigation to it is forbidden', async (path) => {
  const { status, body } = await get(path, navigation)
  expect([status, JSON.parse(String(body))]).toMatchObject([403, { error: 'Forbidden' }])
})

test('assets: are immutable and have compressed variants', async () => {
  const plain = await get(`/admin/${script}`)
  expect(plain.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
    vary: 'Accept-Encoding',
  })
  expect(String(plain.body)).toBe(texts[script])
  const brotli = await get(`/admin/${script}`, { 'accept-encoding': 'gzip, br' })
  expect(brotli.headers['content-encoding']).toBe('br')
  expect(String(brotliDecompressSync(brotli.body))).toBe(texts[script])
  const gzip = await get(`/admin/${script}`, { 'accept-encoding': 'gzip' })
  expect(gzip.headers['content-encoding']).toBe('gzip')
  expect(String(gunzipSync(gzip.body))).toBe(texts[script])
  const style = await get('/admin/assets/index-Ab3d.css', { 'accept-encoding': 'br' })
  expect(style.headers['content-type']).toBe('text/css; charset=utf-8')
  expect([style.headers['content-encoding'], String(style.body)]).toEqual([
    undefined,
    'a { color: red }',
  ])
})

test.each([
  '/admin/assets/nothing.js',
  '/admin/assets/index-Ab3d.js.br',
  '/admin/assets/../secret.txt',
  '/admin/assets/%2e%2e/secret.txt',
  '/admin/assets/..%2fsecret.txt',
  '/admin/assets/%00',
  '/admin/assets//etc/passwd',
])('assets: %s is no asset and responds 404', async (path) => {
  expect((await get(path, navigation)).status).toBe(404)
})

test('pages: without a build, respond 503 with the command that builds them', async () => {
  const { status, body, headers } = await unbuilt('/admin/accounts', navigation)
  expect([status, String(body)]).toEqual([503, expect.stringContaining('make admin-ui')])
  expect(headers['content-security-policy']).toContain("script-src 'self'")
  expect((await unbuilt(`/admin/${script}`)).status).toBe(404)
})
