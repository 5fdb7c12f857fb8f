import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request as sendRequest } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { manifestName, type SiteManifest } from '@posthorn/docs/site-manifest'
import { afterAll, expect, test } from '@jest/globals'
import express from 'express'
import { mountDocs } from '../src/docs-site/mount-docs.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const policy = "default-src 'none'; script-src 'sha256-x'"
const long = 'text '.repeat(1_000)
const texts: Record<string, string> = {
  'index.html': `<h1>Home</h1>${long}`,
  '404.html': '<h1>Not found</h1>',
  'guides/send/index.html': '<h1>Send</h1>',
  'guides/send.md': '# Send',
  '_astro/page.abc.css': 'a { color: red }',
}

/**
 * Writes a built documentation site with the files `texts`, of which `index.html` is compressed.
 */
async function writeSite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-docs-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const files: SiteManifest['files'] = {}
  for (const [path, text] of Object.entries(texts)) {
    const file = join(folder, 'files', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    const isCompressed = path === 'index.html'
    files[path] = { hash: `hash-${path}`, isCompressed, isImmutable: path.startsWith('_astro/') }
  }
  const home = texts['index.html'] ?? ''
  await writeFile(join(folder, 'files/index.html.br'), brotliCompressSync(home))
  await writeFile(join(folder, 'files/index.html.gz'), gzipSync(home))
  await writeFile(join(folder, manifestName), JSON.stringify({ policy, files, packages: [] }))
  return folder
}

/** Starts a server with the documentation. Returns a function that sends a request to it. */
async function serveDocs(folder: string) {
  const app = express().disable('etag')
  mountDocs(app, '1.2.3', pathToFileURL(`${folder}/`))
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const request = sendRequest({ port, host: '127.0.0.1', path, method, headers }).end()
    const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
  }
}

const get = await serveDocs(await writeSite())
const unbuilt = await serveDocs(join(tmpdir(), 'posthorn-docs-absent'))

test('/openapi.json: is compressed, and 304 with its ETag', async () => {
  const plain = await get('/openapi.json')
  expect(JSON.parse(String(plain.body))).toMatchObject({ openapi: '3.1.0' })
  expect(plain.headers).toMatchObject({
    vary: 'Accept-Encoding',
    'cache-control': 'public, no-cache',
  })
  for (const [coding, decompress] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await get('/openapi.json', { 'accept-encoding': coding })
    expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' })
    expect(decompress(body).equals(plain.body)).toBe(true)
    expect(headers.etag).not.toBe(plain.headers.etag)
    const etag = String(headers.etag)
    const again = { 'accept-encoding': coding, 'if-none-match': etag }
    expect(await get('/openapi.json', again)).toMatchObject({ status: 304, body: Buffer.alloc(0) })
  }
})

test('site: pages have the policy, their type and compressed variants', async () => {
  const home = await get('/docs/', { 'accept-encoding': 'gzip, br' })
  expect(home.status).toBe(200)
  expect(home.headers).toMatchObject({
    'content-security-policy': policy,
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'br',
    etag: '"hash-index.html-br"',
  })
  expect(String(brotliDecompressSync(home.body))).toBe(texts['index.html'])
  expect(String(gunzipSync((await get('/docs/', { 'accept-encoding': 'gzip' })).body))).toBe(
    texts['index.html'],
  )
  expect(String((await get('/docs/')).body)).toBe(texts['index.html'])
  const markdown = await get('/docs/guides/send.md', { 'accept-encoding': 'br' })
  expect(String(markdown.body)).toBe('# Send')
  expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(markdown.headers['content-encoding']).toBeUndefined()
})

test('site: unchanged files respond 304, hashed files are immutable, HEAD has no body', async () => {
  const path = '/docs/guides/send/'
  const etag = '"hash-guides/send/index.html"'
  expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
  expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  expect((await get('/docs/_astro/page.abc.css')).headers['cache-control']).toBe(
    'public, max-age=31536000, immutable',
  )
  const head = await get(path, {}, 'HEAD')
  expect([head.status, head.body.length]).toEqual([200, 0])
  expect(head.headers['content-length']).toBe('13')
})

test('site: redirects to the slash, relative to the path', async () => {
  const locations = ['/docs', '/docs/guides/send', '/docs/try'].map(async (path) => {
    const { status, headers } = await get(path)
    return [status, headers.location]
  })
  expect(await Promise.all(locations)).toEqual([
    [301, 'docs/'],
    [301, 'send/'],
    [301, 'try/'],
  ])
})

test.each([
  '/docs/nothing/',
  '/docs/site.json',
  '/docs/../site.json',
  '/docs/%2e%2e/site.json',
  '/docs/..%2fsite.json',
  '/docs/index.html.br',
  '/docs/%00',
  '/docs/constructor',
  '/docs//etc/passwd',
])('site: %s is not a file of the site and responds 404', async (path) => {
  const { status, body, headers } = await get(path)
  expect([status, String(body)]).toEqual([404, texts['404.html']])
  expect(headers['content-security-policy']).toBe(policy)
})

test('site: if it has not been built, /docs/ says how, and other paths respond 404', async () => {
  const page = await unbuilt('/docs/')
  expect([page.status, String(page.body)]).toEqual([200, expect.stringContaining('make docs')])
  expect((await unbuilt('/docs/guides/send/')).status).toBe(404)
})

test('/docs/try/: loads scripts of this host only, also without the site', async () => {
  const page = await unbuilt('/docs/try/')
  expect(page.headers['content-security-policy']).toContain("script-src 'self';")
  const scripts = [...String(page.body).matchAll(/src="([^"]+)"/g)].map(([, src = '']) => src)
  expect(scripts).toEqual(['scalar.js', 'start.js'])
  const bundle = await unbuilt('/docs/try/scalar.js', { 'accept-encoding': 'br' })
  const file = '../node_modules/@scalar/api-reference/dist/browser/standalone.js'
  const stored = await readFile(new URL(file, import.meta.url))
  expect(brotliDecompressSync(bundle.body).equals(stored)).toBe(true)
  expect(bundle.body.length).toBeLessThan(1_500_000)
  const start = String((await unbuilt('/docs/try/start.js')).body)
  for (const option of ['persistAuth: false', 'telemetry: false', 'withDefaultFonts: false'])
    expect(start).toContain(option)
})
