import { expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import { gmailFailures } from '@posthorn/testkit/providers/gmail'
import fc from 'fast-check'
import { parseBatch } from '../../src/gmail/batch.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { type GmailSetup, startGmail } from './gmail-setup.ts'

const type = 'multipart/mixed; boundary=b'
const part = (index: number | string, text: string, status = 200) =>
  `--b\r\nContent-Type: application/http\r\nContent-ID: <response-part-${index}>\r\n\r\n` +
  `HTTP/1.1 ${status} OK\r\nContent-Type: application/json\r\nRetry-After: 7\r\n\r\n${text}\r\n`

test('parseBatch: parts in any order, with their status, delay and text', () => {
  const body = `preamble\r\n${part(2, '{"id":"x"}')}${part(0, '{}', 429)}--b--\r\n${part(5, '{}')}`
  expect(parseBatch(type, Buffer.from(body))).toMatchObject([
    { index: 2, status: 200, text: '{"id":"x"}' },
    { index: 0, status: 429, headers: { 'retry-after': '7' }, text: '{}' },
  ])
  const quoted = parseBatch('multipart/mixed; boundary="b"', Buffer.from(body.replaceAll('\r', '')))
  expect(quoted.map(({ index }) => index)).toEqual([2, 0])
})

test('parseBatch: cut, unnamed or foreign parts, are left out', () => {
  const whole = `${part(0, '{"a":1}')}${part(1, '{"b":2}')}--b--`
  for (let end = 0; end < whole.length; end++) {
    const parts = parseBatch(type, Buffer.from(whole.slice(0, end)))
    for (const { index, text } of parts) expect(text).toBe(['{"a":1}', '{"b":2}'][index])
  }
  for (const bad of [part('x', '{}'), part(1_000, '{}'), '--b\r\n\r\n--b--', '--b'.repeat(1_000)])
    expect(parseBatch(type, Buffer.from(bad))).toEqual([])
  expect(parseBatch('text/html', Buffer.from(whole))).toEqual([])
  expect(parseBatch('multipart/mixed; boundary=', Buffer.from(whole))).toEqual([])
})

test('parseBatch: arbitrary bytes, never throws', () => {
  const pieces = fc.constantFrom(
    '--b',
    '--b--',
    '\r\n',
    '\n',
    'HTTP/1.1 200 OK',
    'Content-ID: <response-part-1>',
    '{}',
    ':',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string())), (texts) => {
      expect(Array.isArray(parseBatch(type, Buffer.from(texts.join(''))))).toBe(true)
    }),
  )
})

function deliver({ mailbox }: GmailSetup, count: number): string[] {
  return Array.from({ length: count }, (_, index) => mailbox.deliver(mail(`m${index}`)).id)
}

test('getMessages: at most 25 parts per request, each of which is evaluated', async () => {
  await using setup = await startGmail()
  const ids = deliver(setup, 60)
  const [gone = ''] = ids
  setup.mailbox.remove(setup.mailbox.getMessage(gone))
  const got = await setup.api.getMessages(ids, {}, signal)
  expect(got.map(({ id }) => id)).toEqual(ids.slice(1))
  expect(setup.gmail.requests('batch')).toHaveLength(3)
  expect(setup.gmail.requests('messages.get')).toHaveLength(60)
})

test('getMessages: one batch of a mailbox at a time', async () => {
  await using setup = await startGmail()
  const { gmail, create } = setup
  const ids = deliver(setup, 50)
  const reads = Array.from({ length: 4 }, () =>
    create({ priority: 'sync' }).getMessages(ids, {}, signal),
  )
  expect((await Promise.all(reads)).map((messages) => messages.length)).toEqual([50, 50, 50, 50])
  const batches = gmail.requests('batch')
  expect(batches.map(({ inFlight }) => inFlight)).toEqual(batches.map(() => 1))
})

test('getMessages: limit or failure of some parts, repeats these alone', async () => {
  await using setup = await startGmail()
  const { gmail, api } = setup
  const ids = deliver(setup, 10)
  for (const response of [
    gmailFailures.tooManyConcurrent(),
    gmailFailures.unavailable(),
    { status: 502, body: '<html>' },
    gmailFailures.mailServiceDisabled(),
  ]) {
    const before = gmail.requests('messages.get').length
    gmail.on(
      'messages.get',
      providerFaults.times(3, providerFaults.replies({ ...response, headers: {} })),
    )
    expect(await api.getMessages(ids, {}, signal)).toHaveLength(10)
    expect(gmail.requests('messages.get').length - before).toBe(13)
  }
})

test('getMessages: token rejected in the parts, renews it once', async () => {
  await using setup = await startGmail()
  const { gmail, api, logins } = setup
  const ids = deliver(setup, 3)
  gmail.on(
    'messages.get',
    providerFaults.times(3, providerFaults.replies(gmailFailures.unauthorized())),
  )
  expect(await api.getMessages(ids, {}, signal)).toHaveLength(3)
  expect(logins.map(({ fresh }) => fresh)).toEqual([false, true])
  gmail.on('messages.get', providerFaults.replies(gmailFailures.unauthorized()))
  await expect(api.getMessages(ids, {}, signal)).rejects.toMatchObject({
    failure: 'token-rejected',
  })
  expect(logins).toHaveLength(4)
})

test('getMessages: batch that is cut or no batch, is repeated and then fails', async () => {
  await using setup = await startGmail()
  const { gmail, api } = setup
  const ids = deliver(setup, 5)
  const remove = gmail.on('batch', providerFaults.times(1, providerFaults.truncatesAfter(300)))
  expect(await api.getMessages(ids, {}, signal)).toHaveLength(5)
  remove()
  gmail.on('batch', providerFaults.replies({ body: 'no multipart' }))
  await expect(api.getMessages(ids, {}, signal)).rejects.toMatchObject({ failure: 'unavailable' })
})

test('getMessages: refused part, fails with its failure', async () => {
  await using setup = await startGmail()
  const ids = deliver(setup, 2)
  setup.gmail.on('messages.get', providerFaults.replies(gmailFailures.insufficientScope()))
  await expect(setup.api.getMessages(ids, {}, signal)).rejects.toMatchObject({
    failure: 'access-denied',
  })
})
