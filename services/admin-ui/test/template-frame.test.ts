import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type CallWorld, startCallWorld } from './call-world.ts'

let world: CallWorld
let person: string

beforeAll(async () => {
  world = await startCallWorld()
  person = await world.signIn('operator')
})
afterAll(() => world[Symbol.asyncDispose]())

const hostile =
  '<script>hacked()</script><p onclick="hacked()">Hello</p><meta http-equiv="refresh" content="0;url=https://evil.example">' +
  '<form action="https://evil.example"><input></form><img src="https://images.example/1.png" onerror="hacked()">' +
  '</div></body><a href="javascript:hacked()">x</a><iframe srcdoc="<script>hacked()</script>"></iframe>'

/** Sends a form with HTML to the template frame of admin-ui, as the page of a template does. */
async function show(fields: Record<string, string>, session = person) {
  const { status, headers, body } = await world.call(session, '/admin/frame/template', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(fields)),
  })
  const [, html = ''] = /<div class="message">(.*)<\/div>\n<\/body>/s.exec(String(body)) ?? []
  return { status, headers, html }
}

test('template frame: the HTML of the form is shown, with the policy of a message', async () => {
  const { status, headers, html } = await show({ html: '<p>Grüße & <b>Hello</b></p>' })
  expect([status, html]).toEqual([200, '<p>Grüße &amp; <b>Hello</b></p>'])
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
    'x-frame-options': 'SAMEORIGIN',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(headers).not.toHaveProperty('set-cookie')
})

test('template frame: active content is removed, remote images are loaded on request', async () => {
  const plain = await show({ html: hostile })
  expect(plain.html).toContain('Hello')
  expect(plain.html).not.toMatch(/script|hacked|onerror|onclick|meta|form|iframe|evil|images\./)
  const remote = await show({ html: hostile, images: 'remote' })
  expect(remote.headers['content-security-policy']).toContain('sandbox; ')
  expect(remote.headers['content-security-policy']).toContain('img-src data: https:; ')
  expect(remote.html).toContain('<img src="https://images.example/1.png"')
  expect(remote.html).not.toMatch(/script|hacked|onerror|onclick|meta|form|iframe|evil/)
})

test('template frame: a form without HTML is an empty document, a long one is cut', async () => {
  expect(await show({})).toMatchObject({ status: 200, html: '' })
  const { html } = await show({ html: `${'<b>x</b>'.repeat(100_000)}end` })
  expect(html).toContain('<p>The HTML is longer than this preview.</p>')
  expect(html).not.toContain('end')
})

test('template frame: without a session, and above the limit, the problem is shown', async () => {
  const refused = await show({ html: '<b>Hello</b>' }, 'unknown')
  expect([refused.status, refused.html]).toEqual([401, '<p>Sign in first</p>'])
  expect(refused.headers['content-security-policy']).toContain('sandbox')
  // A form above the length limit is refused before its body is read.
  const large = await world.call(person, '/admin/frame/template', {
    method: 'POST',
    headers: { 'content-length': String(7 * 1024 * 1024) },
  })
  expect([large.status, String(large.body)]).toEqual([
    413,
    expect.stringContaining('<p>The body is larger than'),
  ])
  expect(large.headers['content-security-policy']).toContain('sandbox')
})

test('template frame: sends no call to api-gateway and writes no audit row', async () => {
  await show({ html: '<p>Hello</p>' })
  expect(world.gateway.requests).toEqual([])
  expect((await world.rows()).filter(({ session }) => session === person)).toEqual([])
})
