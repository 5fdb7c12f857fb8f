import { afterAll, expect, test } from '@jest/globals'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { Router } from 'express'
import { cors, serve } from '../src/index.ts'

const policy = {
  maxAgeSeconds: 60,
  methods: ['GET', 'POST'],
  requestHeaders: ['Authorization', 'Content-Type'],
  responseHeaders: ['X-RateLimit-Limit'],
}
const server = await serve({
  host: '127.0.0.1',
  port: 0,
  log: createLogger('test', 'silent'),
  metrics: createMetrics('test'),
  checks: {},
  crossOrigin: Router()
    .use('/some', cors({ ...policy, origins: ['https://a.example', 'https://b.example:8443'] }))
    .use('/all', cors({ ...policy, origins: ['*'] })),
  mount(app) {
    app.get('/:which/thing', (_request, response) => void response.json({}))
  },
})
afterAll(async () => server[Symbol.asyncDispose]())

async function ask(method: string, path: string, headers: Record<string, string>) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers })
  const { status } = response
  const corsHeaders = [...response.headers].filter(([name]) => name.startsWith('access-control-'))
  return { status, ...Object.fromEntries(corsHeaders), vary: response.headers.get('vary') }
}
const wanted = { 'access-control-request-method': 'POST' }

test('cors: an allowed origin gets CORS headers and Vary: Origin', async () => {
  const origin = 'https://b.example:8443'
  expect(await ask('GET', '/some/thing', { origin })).toEqual({
    status: 200,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'X-RateLimit-Limit',
    vary: 'Origin',
  })
})

test('cors: a preflight is answered before authentication with the allowed headers', async () => {
  const origin = 'https://a.example'
  expect(await ask('OPTIONS', '/some/thing', { origin, ...wanted })).toEqual({
    status: 204,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'Authorization, Content-Type',
    'access-control-max-age': '60',
    vary: 'Origin',
  })
})

test.each(['https://evil.example', 'https://a.example.evil.example', 'http://a.example', 'null'])(
  'a page of %s gets nothing that its browser would accept',
  async (origin) => {
    expect(await ask('GET', '/some/thing', { origin })).toEqual({ status: 200, vary: 'Origin' })
    const preflight = await ask('OPTIONS', '/some/thing', { origin, ...wanted })
    expect(preflight).toEqual({ status: 404, vary: 'Origin' })
  },
)

test('cors: with origins *, allows all origins without credentials', async () => {
  const answer = await ask('GET', '/all/thing', { origin: 'https://x.example', cookie: 'a=1' })
  expect(answer).toEqual({
    status: 200,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'X-RateLimit-Limit',
    vary: null,
  })
})

test('cors: error responses have the headers too, without configured origins none', async () => {
  const origin = 'https://a.example'
  expect(await ask('GET', '/some/nope/nope', { origin })).toMatchObject({
    status: 404,
    'access-control-allow-origin': origin,
  })
  expect(await ask('GET', '/none/thing', { origin })).toEqual({ status: 200, vary: null })
  expect(await ask('OPTIONS', '/none/thing', { origin, ...wanted })).toMatchObject({ status: 404 })
})
