import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { type CallWorld, startCallWorld } from './call-world.ts'

let world: CallWorld
let reader: string

beforeAll(async () => {
  world = await startCallWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  const until = new Date(Date.now() + 600_000)
  reader = await world.signIn('support', { until, reason: 'ticket 7' })
  world.gateway.requests.length = 0
})

const path = '/admin/frame/message/jane%2Fdoe/AAAA'
const hostile =
  '<script>hacked()</script><p onclick="hacked()">Hello</p><meta http-equiv="refresh" content="0;url=https://evil.example">' +
  '<link rel="preconnect" href="https://evil.example"><form action="https://evil.example"><input></form>' +
  '<img src="https://images.example/1.png" onerror="hacked()"><a href="javascript:hacked()">x</a>'

/** Makes the fake api-gateway reply with a message that has this HTML. */
function replyWithHtml(html: string, webSafe: boolean): void {
  world.gateway.reply = (_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.setHeader('set-cookie', 'a=b')
    response.end(JSON.stringify({ id: 'AAAA', text: { html, webSafe } }))
  }
}

test('message frame: the document has an origin of its own and may load embedded images only', async () => {
  replyWithHtml('<p>Hello</p>', true)
  const { status, headers, body } = await world.call(reader, path)
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(String(body)).toContain('<div class="message"><p>Hello</p></div>')
  expect(headers).toMatchObject({
    'content-security-policy':
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
    'x-frame-options': 'SAMEORIGIN',
    'x-dns-prefetch-control': 'off',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  expect(headers).not.toHaveProperty('set-cookie')
  expect(world.gateway.requests).toMatchObject([
    {
      url: '/v1/account/jane%2Fdoe/message/AAAA?webSafeHtml=true',
      headers: { authorization: `Bearer sess_${reader}` },
    },
  ])
})

test('message frame: each read is recorded with its reason, like a call that reads mail', async () => {
  replyWithHtml('<p>Hello</p>', true)
  await world.call(reader, `${path}?images=remote`)
  const same = {
    operation: 'getMessage',
    method: 'GET',
    path: '/v1/account/jane%2Fdoe/message/AAAA',
    account: 'jane/doe',
    reason: 'ticket 7',
  }
  const rows = await eventually(async () => {
    const recorded = (await world.rows()).filter(({ session }) => session === reader)
    expect(recorded).toHaveLength(2)
    return recorded
  })
  expect(rows).toMatchObject([
    { ...same, phase: 'attempt' },
    { ...same, phase: 'outcome', status: 200, outcome: 'done' },
  ])
})

test('message frame: remote images are allowed on request, all active content is removed', async () => {
  replyWithHtml(hostile, false)
  const { headers, body } = await world.call(reader, `${path}?images=remote`)
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  expect(headers['content-security-policy']).toContain('img-src data: https:; ')
  const [, html = ''] = /<div class="message">(.*)<\/div>\n<\/body>/s.exec(String(body)) ?? []
  expect(html).toContain('<img src="https://images.example/1.png"')
  expect(html).not.toMatch(/script|hacked|onerror|onclick|meta|link|form|evil/)
  expect(world.gateway.requests[0]?.url).toBe(
    '/v1/account/jane%2Fdoe/message/AAAA?textType=html&maxBytes=1048576',
  )
})

test('message frame: HTML that api-gateway has not marked as safe is sanitised here', async () => {
  replyWithHtml(hostile, false)
  const { body } = await world.call(reader, path)
  expect(String(body)).not.toMatch(/script>|hacked|evil|images\.example/)
})

test('message frame: a sentence says that the end of a message is missing', async () => {
  const sentence = 'The message is longer. Download its source to read all of it.'
  const show = async (text: object, query = '') => {
    world.gateway.reply = (_request, response) => response.end(JSON.stringify({ text }))
    return String((await world.call(reader, path + query)).body).includes(sentence)
  }
  const html = '<p>Hello</p>'
  expect(await show({ html, webSafe: true })).toBe(false)
  expect(await show({ html, webSafe: true, hasMore: true })).toBe(true)
  expect(await show({ html, hasMore: true }, '?images=remote')).toBe(true)
  // The HTML sanitiser of admin-ui has limits, too, beside the limits of api-gateway.
  const long = `${'<b>x</b>'.repeat(100_000)}end`
  expect(await show({ html: long }, '?images=remote')).toBe(true)
})

test.each([
  [403, { code: 'MailReadingRequired', message: 'Give a <b>reason</b>' }, 'MailReadingRequired'],
  [404, { code: 'MessageNotFound', message: 'No <b>message</b>' }, 'MessageNotFound'],
])('message frame: error %i of api-gateway is shown as text and recorded', async (...input) => {
  const [status, reply, outcome] = input
  world.gateway.reply = (_request, response) =>
    void response.writeHead(status).end(JSON.stringify(reply))
  const { status: shown, headers, body } = await world.call(reader, path)
  expect([shown, headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
  expect(headers['content-security-policy']).toContain('sandbox')
  expect(String(body)).toContain(
    `<p>${reply.message.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`,
  )
  await eventually(async () =>
    expect((await world.rows()).findLast(({ session }) => session === reader)).toMatchObject({
      status,
      outcome,
    }),
  )
})

test('message frame: without a session, nothing is read', async () => {
  const { status, headers, body } = await world.call('unknown', path)
  expect([status, String(body)]).toEqual([401, expect.stringContaining('<p>Sign in first</p>')])
  expect(headers['content-security-policy']).toContain('sandbox')
  expect(world.gateway.requests).toEqual([])
})

test.each(['/admin/frame/message/%2e%2e/AAAA', '/admin/frame/message/jane/%2e%2e%2fAAAA'])(
  'message frame: %s leads to no other operation',
  async (wrong) => {
    const { status } = await world.call(reader, wrong)
    expect([status, world.gateway.requests]).toEqual([404, []])
  },
)

test('message frame: conditions of the client do not suppress the message', async () => {
  replyWithHtml('<p>Hello</p>', true)
  const conditions = { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() }
  const ranges = { range: 'bytes=0-10', 'if-range': '"a"', 'x-svc-timeout': 'soon' }
  const { status } = await world.call(reader, path, { headers: { ...conditions, ...ranges } })
  expect(status).toBe(200)
  const forwarded = Object.keys(world.gateway.requests[0]?.headers ?? {})
  expect(forwarded.filter((name) => /^if-|range|timeout/.test(name))).toEqual([])
})

test('message frame: a response that is no message, and a closed gateway, get a document', async () => {
  world.gateway.reply = (_request, response) => void response.end('<html>')
  const broken = await world.call(reader, path)
  expect([broken.status, broken.headers['content-security-policy']]).toEqual([
    500,
    expect.stringContaining('sandbox'),
  ])
  world.gateway.reply = (request) => void request.socket.destroy()
  expect((await world.call(reader, path)).status).toBe(503)
})
