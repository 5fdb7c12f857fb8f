import { request as httpRequest } from 'node:http'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { fastestBlockedMs } from '@posthorn/testkit'
import { admin } from './gateway.ts'
import { sendingWorld } from './sending-world.ts'

// The largest permitted requests of callers. None of them may block the event loop, which all
// callers share.

/**
 * Maximum CPU time in ms for which a request may block the event loop of the gateway. On a quiet
 * machine, requests block for 5 to 64 ms, and for 250 to 980 ms if the gateway parses them itself.
 * Beside other test processes, which share the CPU caches, requests take twice as long.
 */
const maxMs = 200

const world = await sendingWorld()
const { db, call, queued, register, url } = world
await call('POST', '/v1/settings', { body: { serviceUrl: 'https://posthorn.example' } })
await register('unassigned', {})
afterAll(() => world.stop())
afterEach(() => db.deleteFrom('outbox').execute())

interface Response {
  status: number
  /** First bytes of the response body. */
  start: string
  bytes: number
}

/** Posts a prepared request body and counts the bytes of the response. */
function post(path: string, body: Buffer): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
  const request = httpRequest(url + path, {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
  })
  request.on('error', reject)
  request.on('response', (response) => {
    let start = ''
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      if (bytes === 0) start = chunk.toString('latin1', 0, 500)
      bytes += chunk.length
    })
    response.on('end', () => resolve({ status: response.statusCode ?? 0, start, bytes }))
    response.on('error', reject)
  })
  request.end(body)
  return promise
}

const to = [{ address: 'bob@other.example' }]
const megabytes = (count: number) => count * 1024 * 1024
const base64 = (bytes: number) => Buffer.alloc(bytes, 'abc').toString('base64')
const raw = (head: string, body = '\r\n') =>
  Buffer.from(`From: me@mail.example\r\n${head}\r\n${body}`).toString('base64')
const headersOf = (value: string) =>
  Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`X-Header-${at}`, value]))
const manyParams = Object.fromEntries(Array.from({ length: 36 }, (_, at) => [`p${at}`, at]))
const links = '<a href="https://shop.example/a?b=c">x</a><p class="c">&amp;</p>\n'

const bodies: [name: string, body: () => object, status: number][] = [
  ['990 headers of encoded words', () => ({ to, headers: headersOf('ü '.repeat(2_400)) }), 200],
  ['a text of 40 MB', () => ({ to, text: 'ü '.repeat(megabytes(40) / 3) }), 200],
  ['a text of 49 MB of two bytes', () => ({ to, text: 'д '.repeat(megabytes(49) / 3) }), 200],
  ['a text of 40 MB of line ends', () => ({ to, text: 'a\n'.repeat(megabytes(13)) }), 200],
  ['an HTML text of 10 MB', () => ({ to, html: links.repeat(megabytes(10) / links.length) }), 200],
  [
    'an HTML text of 10 MB with tracked links',
    () => ({ to, html: links.repeat(megabytes(10) / links.length), trackClicks: true }),
    200,
  ],
  [
    'an attachment of 28 MB',
    () => ({ to, attachments: [{ content: base64(megabytes(28)) }] }),
    200,
  ],
  [
    'a dry run of an attachment of 28 MB',
    () => ({ to, dryRun: true, attachments: [{ content: base64(megabytes(28)) }] }),
    200,
  ],
  [
    'a raw message of 100,000 header lines',
    () => ({ to, raw: raw('X: y\r\n'.repeat(100_000)) }),
    200,
  ],
  ['a raw message with 100,000 comments', () => ({ raw: raw(`To: ${'('.repeat(100_000)}`) }), 400],
  [
    'a raw message of 25 MB of line feeds',
    () => ({ to, raw: raw('', '\n'.repeat(megabytes(25))) }),
    200,
  ],
  [
    'a mail merge of 1,000 recipients with 36 parameters',
    () => ({
      subject: 'x',
      dryRun: true,
      mailMerge: Array.from({ length: 1_000 }, () => ({ to: to[0], params: manyParams })),
    }),
    200,
  ],
  ['a rejected text beside 40 MB', () => ({ to: 1, text: 'ü '.repeat(megabytes(40) / 3) }), 400],
]

test.each(bodies)('POST submit: %s does not block the event loop', async (_name, body, status) => {
  const bytes = Buffer.from(JSON.stringify(body()))
  const run = async () => {
    const response = await post('/v1/account/me/submit', bytes)
    expect(response).toMatchObject({ status })
  }
  expect(await fastestBlockedMs(run, maxMs)).toBeLessThanOrEqual(maxMs)
})

test.each([
  ['a text of 40 MB', () => ({ text: 'ü '.repeat(megabytes(40) / 3) })],
  ['a raw message of 25 MB of line feeds', () => ({ raw: raw('', '\n'.repeat(megabytes(25))) })],
])('POST message: %s does not block the event loop', async (_name, body) => {
  const bytes = Buffer.from(JSON.stringify({ path: 'Drafts', ...body() }))
  const run = async () => {
    // The uploaded message is composed and stored, but no worker takes the message.
    const { status, start } = await post('/v1/account/unassigned/message', bytes)
    expect(start).toContain('WorkerNotAvailable')
    expect(status).toBe(503)
  }
  expect(await fastestBlockedMs(run, maxMs)).toBeLessThanOrEqual(maxMs)
})

test('POST submit: a large message has the same parts as a small message', async () => {
  const message = (length: number) => ({
    to: [{ name: 'Bo\u00f6b', address: 'bob@other.example' }],
    subject: 'Gr\u00fc\u00dfe',
    text: `${'\u00fc '.repeat(length)}end`,
    headers: { 'X-List': ['a', 'b'] },
    attachments: [{ filename: 'a.txt', content: Buffer.from('hello').toString('base64') }],
  })
  const shape = async (length: number) => {
    const bytes = Buffer.from(JSON.stringify(message(length)))
    expect(await post('/v1/account/me/submit', bytes)).toMatchObject({ status: 200 })
    const { text, envelope, subject } = await queued()
    const [boundary = ''] = /--_NmP-[0-9a-f]+/.exec(text) ?? []
    const varying = /Message-ID: <[^>]*>|Date: .*|(?:w7wg)+(?:ZW5k)?\s+/g
    return { text: text.replaceAll(boundary, '--b').replaceAll(varying, ''), envelope, subject }
  }
  expect(await shape(200_000)).toEqual(await shape(50))
})

test('POST submit: a large body has the errors of a small body', async () => {
  const fields = (text: string) =>
    call('POST', '/v1/account/me/submit', { body: { to: 1, unknown: 2, text } })
  const [small, large] = await Promise.all([fields('x'), fields('x'.repeat(200_000))])
  expect(large.body).toMatchObject({ statusCode: 400 })
  expect(large.body.fields?.map(({ path }) => path)).toContain(small.body.fields?.[0]?.path)
})
