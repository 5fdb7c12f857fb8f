import { expect, test } from '@jest/globals'
import { gmailFailures, type GmailFake, startGmailFake } from '../src/providers/gmail/index.ts'
import { providerFaults } from '../src/providers/index.ts'

const address = 'jane@mail.example'
const source = 'To: a@mail.example\r\nSubject: x\r\n\r\nhello\r\n'

async function start(scopes?: string[]) {
  const gmail = await startGmailFake()
  const mailbox = gmail.addMailbox(address)
  const token = gmail.grant(address, scopes)
  return { gmail, mailbox, token, [Symbol.asyncDispose]: () => gmail[Symbol.asyncDispose]() }
}

async function send(
  { gmail, token }: { gmail: GmailFake; token: string },
  path: string,
  init: RequestInit = {},
) {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as object) }
  const url = path.startsWith('/') ? path : `/gmail/v1/users/me/${path}`
  const response = await fetch(`${gmail.origin}${url}`, { ...init, headers })
  const text = await response.text()
  const json = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>
  return { status: response.status, headers: response.headers, text, json }
}

function post(body: object): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

test('GmailFake limits: 6,000 units per minute and 5 concurrent requests, with the real errors', async () => {
  await using started = await start()
  const { gmail } = started
  gmail.switches.limits = true
  const topicName = 'projects/p/topics/t'
  gmail.pubsub.addTopic(topicName)
  const watch = () => send(started, 'watch', post({ topicName }))
  for (let count = 0; count < 60; count++) expect((await watch()).status).toBe(200)
  const refused = await send(started, 'profile')
  expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('rateLimitExceeded') })
  gmail.clock.advance(60_001)
  const many = await Promise.all(Array.from({ length: 20 }, () => send(started, 'labels')))
  expect(new Set(many.map(({ status }) => status)).has(200)).toBe(true)
})

test('GmailFake tokens: expire, end with a revocation, and are limited to their scopes', async () => {
  await using started = await start(['https://www.googleapis.com/auth/gmail.readonly'])
  const { gmail } = started
  expect((await send(started, 'labels')).status).toBe(200)
  expect((await send(started, 'labels', post({ name: 'x' }))).status).toBe(403)
  gmail.clock.advance(3_600_000)
  expect((await send(started, 'labels')).status).toBe(401)
  const metadata = ['https://www.googleapis.com/auth/gmail.metadata', 'https://mail.google.com/']
  const token = gmail.grant(address, metadata)
  expect((await send({ gmail, token }, 'messages')).status).toBe(200)
  expect((await send({ gmail, token }, 'messages?q=')).status).toBe(403)
  const body = new URLSearchParams({ token })
  await fetch(`${gmail.origin}/revoke`, { method: 'POST', body })
  expect((await send({ gmail, token }, 'messages')).status).toBe(401)
})

test('GmailFake fields: select members; an invalid selection is refused', async () => {
  await using started = await start()
  const { id, threadId } = started.mailbox.deliver(source)
  const path = `messages/${id}?format=full&fields=`
  expect((await send(started, `${path}id,payload(headers/name,partId)`)).json).toEqual({
    id,
    payload: { partId: '', headers: [{ name: 'To' }, { name: 'Subject' }] },
  })
  expect((await send(started, `messages?fields=messages/threadId`)).json).toEqual({
    messages: [{ threadId }],
  })
  for (const fields of ['', 'id(', 'id,,a', 'a/'])
    expect((await send(started, `${path}${fields}`)).status).toBe(400)
})

test('GmailFake batch: other order, at most 40 parts at a time, faults of parts', async () => {
  await using started = await start()
  const { gmail, mailbox } = started
  const { id } = mailbox.deliver(source)
  const batch = (count: number) => {
    const part = (index: number) =>
      `--b\r\nContent-Type: application/http\r\nContent-ID: <${index}>\r\n\r\nGET /gmail/v1/users/me/messages/${id}?fields=id\r\n\r\n`
    const body = `${Array.from({ length: count }, (_, index) => part(index)).join('')}--b--`
    const headers = { 'content-type': 'multipart/mixed; boundary=b' }
    return send(started, '/batch/gmail/v1', { method: 'POST', headers, body })
  }
  gmail.on(
    'messages.get',
    providerFaults.times(1, providerFaults.replies(gmailFailures.dailyLimit())),
  )
  const { text } = await batch(3)
  expect(
    [...text.matchAll(/<response-(\d)>\s+HTTP\/1.1 (\d+)/g)].map(([, ...each]) => each),
  ).toEqual([
    ['2', '200'],
    ['1', '200'],
    ['0', '403'],
  ])
  expect((await batch(60)).text.match(/HTTP\/1.1 429/g)).toHaveLength(20)
  expect((await batch(101)).status).toBe(400)
})

test('GmailFake uploads: chunks that do not fit are refused, the session tells its state', async () => {
  await using started = await start()
  const size = 600_000
  const content = Buffer.concat([Buffer.from(source), Buffer.alloc(size - source.length, 'x')])
  const begun = await send(started, '/upload/gmail/v1/users/me/messages?uploadType=resumable', {
    ...post({ labelIds: ['INBOX'] }),
    headers: { 'content-type': 'application/json', 'x-upload-content-length': String(size) },
  })
  const session = (begun.headers.get('location') ?? '').replace(started.gmail.origin, '')
  const put = (range: string, body: Uint8Array<ArrayBuffer>) =>
    send(started, session, { method: 'PUT', headers: { 'content-range': range }, body })
  const part = (from: number, to: number) => new Uint8Array(content.subarray(from, to))
  expect((await put(`bytes 0-99/${size}`, part(0, 100))).status).toBe(400)
  const first = await put(`bytes 0-262143/${size}`, part(0, 262_144))
  expect([first.status, first.headers.get('range')]).toEqual([308, 'bytes=0-262143'])
  expect((await put(`bytes */${size}`, new Uint8Array())).status).toBe(308)
  const last = () => put(`bytes 262144-${size - 1}/${size}`, part(262_144, size))
  const stored = await last()
  expect(stored.json).toMatchObject({ labelIds: ['INBOX'] })
  expect((await last()).json).toEqual(stored.json)
  expect(started.mailbox.list.map(({ raw }) => raw.equals(content))).toEqual([true])
})

test('GmailFake messages: ids have 16 digits, history ids have gaps', async () => {
  await using started = await start()
  const { mailbox } = started
  const messages = Array.from({ length: 50 }, () => mailbox.deliver(source))
  const ids = messages.map(({ id }) => id)
  expect(ids.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true)
  expect([...ids].sort()).toEqual(ids)
  const steps = mailbox.records.map(({ id }, index) => id - (mailbox.records[index - 1]?.id ?? id))
  expect(new Set(steps).size).toBeGreaterThan(2)
})
