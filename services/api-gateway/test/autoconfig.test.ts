import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { createAutoconfigLookup } from '../src/autoconfig/autoconfig.ts'
import { startDnsStub, type Zone } from './dns-stub.ts'
import { testServers } from './gateway.ts'

type Respond = (request: IncomingMessage, response: ServerResponse) => void

/** Simulated web for autoconfig: HTTP responses by URL without query. */
type Web = Record<string, Respond>

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const never = new AbortController().signal

/** Autoconfig with a simulated web on one port and a simulated DNS on another. */
async function world(web: Web, zone: Zone = {}, timeoutMs = 60_000) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const url = String(request.headers['x-url'])
    requests.push(url)
    const respond = web[url.replace(/\?.*/, '')]
    if (respond) respond(request, response)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const http = stack.use(
    createHttpCaller({ policy: 'off', timeoutMs: 300_000, maxResponseBytes: 64 * 1024 }),
  )
  const stub = stack.use(await startDnsStub(zone))
  const dns = new Resolver({ timeout: 60_000, tries: 1 })
  dns.setServers([stub.server])
  const find = createAutoconfigLookup({
    call: (request) =>
      http.call({
        ...request,
        url: `http://127.0.0.1:${port}/`,
        headers: { ...request.headers, 'x-url': request.url },
      }),
    dns,
    directory: 'https://directory.example/v1.1/',
    timeoutMs,
  })
  return { requests, find: (email: string) => find(email, never) }
}

const text =
  (body: string, status = 200, headers = {}): Respond =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body)
const config = (host: string) =>
  text(
    `<clientConfig><emailProvider><incomingServer type="imap"><hostname>imap.${host}</hostname><port>993</port><socketType>SSL</socketType></incomingServer>` +
      `<outgoingServer type="smtp"><hostname>smtp.${host}</hostname><port>465</port><socketType>SSL</socketType></outgoingServer></emailProvider></clientConfig>`,
  )
const own = 'https://autoconfig.mail.example/mail/config-v1.1.xml'
const wellKnown = 'https://mail.example/.well-known/autoconfig/mail/config-v1.1.xml'

test('autoconfig: several sources, prefers the domain itself', async () => {
  const { find, requests } = await world({
    [own]: config('own.example'),
    [wellKnown]: config('known.example'),
    'https://directory.example/v1.1/mail.example': config('directory.example'),
  })
  expect(await find('ann+x@mail.example')).toEqual({
    imap: {
      auth: { user: 'ann+x@mail.example' },
      host: 'imap.own.example',
      port: 993,
      secure: true,
    },
    smtp: {
      auth: { user: 'ann+x@mail.example' },
      host: 'smtp.own.example',
      port: 465,
      secure: true,
    },
    _source: 'autoconfig',
  })
  expect(requests).toContain(`${own}?emailaddress=ann%2Bx%40mail.example`)
})

test.each<[string, Web, Zone]>([
  ['well-known', { [wellKnown]: config('x.example') }, {}],
  ['directory', { 'https://directory.example/v1.1/mail.example': config('x.example') }, {}],
  [
    'srv',
    {},
    {
      srv: {
        '_imap._tcp.mail.example': [[0, 0, 143, 'other.example']],
        '_imaps._tcp.mail.example': [
          [10, 0, 993, 'later.example'],
          [0, 5, 993, 'imap.x.example'],
        ],
        '_submissions._tcp.mail.example': [[0, 0, 465, 'smtp.x.example']],
      },
    },
  ],
  [
    'mx',
    { 'https://directory.example/v1.1/hoster.example': config('x.example') },
    { mx: { 'mail.example': [[10, 'in.mx.hoster.example']] } },
  ],
  [
    'autodiscover',
    {
      'https://autodiscover.mail.example/autodiscover/autodiscover.xml': text(
        '<Autodiscover><Response><Account><Protocol><Type>IMAP</Type><Server>imap.x.example</Server><Port>993</Port></Protocol>' +
          '<Protocol><Type>SMTP</Type><Server>smtp.x.example</Server><Port>465</Port></Protocol></Account></Response></Autodiscover>',
      ),
    },
    {},
  ],
])('autoconfig: %s is used if better sources have no result', async (...[source, web, zone]) => {
  const { find } = await world(web, zone)
  expect(await find('ann@mail.example')).toMatchObject({
    imap: { host: 'imap.x.example', port: 993, secure: true },
    smtp: { host: 'smtp.x.example', port: 465, secure: true },
    _source: source,
  })
})

test('autoconfig: built-in provider, found by domain or mail exchanger, with appPassword', async () => {
  const gmail = {
    imap: { host: 'imap.gmail.com', port: 993, secure: true },
    smtp: { host: 'smtp.gmail.com' },
    appPassword: {
      required: true,
      provider: 'Gmail',
      instructions: expect.stringContaining('https:'),
    },
  }
  const { find } = await world({}, { mx: { 'firm.example': [[1, 'aspmx.l.google.com']] } })
  expect(await find('Ann@GMAIL.com')).toMatchObject({ ...gmail, _source: 'provider' })
  expect(await find('ann@firm.example')).toMatchObject({ ...gmail, _source: 'mx' })
})

test('autoconfig: SRV target "." for IMAP, returns imap false', async () => {
  const { find } = await world(
    {},
    {
      srv: {
        '_imaps._tcp.mail.example': [[0, 0, 0, '.']],
        '_submission._tcp.mail.example': [[0, 0, 587, 'smtp.x.example']],
      },
    },
  )
  expect(await find('ann@mail.example')).toEqual({
    imap: false,
    smtp: { auth: { user: 'ann@mail.example' }, host: 'smtp.x.example', port: 587, secure: false },
    _source: 'srv',
  })
})

test('autoconfig: prefers a source with both servers over a better one with a single server', async () => {
  const { find } = await world(
    { 'https://autoconfig.mail.example/mail/config-v1.1.xml': text('<clientConfig/>') },
    {
      srv: { '_imaps._tcp.mail.example': [[0, 0, 993, 'imap.x.example']] },
      mx: { 'mail.example': [[10, 'mx.zoho.com']] },
    },
  )
  expect(await find('ann@mail.example')).toMatchObject({
    imap: { host: 'imap.zoho.com' },
    _source: 'mx',
  })
})

test('autoconfig: no source has a result, both servers are false', async () => {
  const { find, requests } = await world({})
  expect(await find('ann@mail.example')).toEqual({ imap: false, smtp: false })
  requests.length = 0
  expect(await find('ann@[192.0.2.1]')).toEqual({ imap: false, smtp: false })
  expect(requests).toEqual([])
})

test('autoconfig: non-ASCII domain, is looked up in Punycode', async () => {
  const { find } = await world({
    'https://autoconfig.xn--mller-kva.example/mail/config-v1.1.xml': config('x.example'),
  })
  expect(await find('ann@müller.example')).toMatchObject({ _source: 'autoconfig' })
})

test('autoconfig: follows redirects, but not to http and at most two', async () => {
  const to = (location: string) => text('', 302, { location })
  const followed = await world({
    [own]: to('https://elsewhere.example/config.xml'),
    'https://elsewhere.example/config.xml': config('x.example'),
  })
  expect(await followed.find('ann@mail.example')).toMatchObject({ _source: 'autoconfig' })
  const downgrade = await world({
    [own]: to('http://elsewhere.example/config.xml'),
    'http://elsewhere.example/config.xml': config('x.example'),
  })
  expect(await downgrade.find('ann@mail.example')).toEqual({ imap: false, smtp: false })
  const loop = await world({ [own]: to(own) })
  expect(await loop.find('ann@mail.example')).toEqual({ imap: false, smtp: false })
  expect(loop.requests.filter((url) => url.startsWith(own))).toHaveLength(3)
})

test('autoconfig: endless and silent servers, other sources win after the timeout', async () => {
  const endless: Respond = (_request, response) => {
    response.writeHead(200)
    const more = () => response.write('<x>'.repeat(10_000)) && setImmediate(more)
    response.on('drain', more).on('error', () => undefined)
    more()
  }
  const { find } = await world(
    { [own]: () => undefined, [wellKnown]: endless },
    { mx: { 'mail.example': [[1, 'aspmx.l.google.com']] } },
    3_000,
  )
  expect(await find('ann@mail.example')).toMatchObject({ _source: 'mx' })
})

test('GET /v1/autoconfig: returns the servers, 400 for an invalid address', async () => {
  const directory = createServer(config('directory.example') as never).listen(0, '127.0.0.1')
  await once(directory, 'listening')
  const { port } = directory.address() as AddressInfo
  const servers = await testServers()
  try {
    const { call } = await servers.start({
      SVC_AUTOCONFIG_DIRECTORY: `http://127.0.0.1:${port}/v1.1`,
    })
    const { status, body } = await call('GET', '/v1/autoconfig?email=ann%40gmail.com')
    expect([status, body]).toMatchObject([200, { imap: { host: 'imap.gmail.com' } }])
    const other = await call('GET', '/v1/autoconfig?email=ann%40nowhere.invalid')
    expect(other.body).toMatchObject({
      imap: { host: 'imap.directory.example' },
      _source: 'directory',
    })
    expect((await call('GET', '/v1/autoconfig?email=nope')).body.fields).toMatchObject([
      { path: 'email' },
    ])
    expect((await call('GET', '/v1/autoconfig')).status).toBe(400)
  } finally {
    await servers.stop()
    directory.close()
  }
})
