import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { LinkKey } from '@posthorn/links'
import {
  MessageReader,
  type MessageReaderOptions,
  type ReadingOverrun,
} from '@posthorn/message-reader'

function createReader(over: Partial<MessageReaderOptions> = {}) {
  const overruns: ReadingOverrun[] = []
  const onOverrun = (overrun: ReadingOverrun) => void overruns.push(overrun)
  const reader = new MessageReader({ processes: 2, timeoutMs: 10_000, onOverrun, ...over })
  return { reader, overruns, read: reader.forAccount('a') }
}

const part = (text: string) => ({ bytes: Buffer.from(text), charset: 'utf-8', isTruncated: false })
const texts = (html: string, plain = 'Hello') => ({
  plain: [part(plain)],
  html: [part(html)],
  wantsPlain: true,
  webSafe: true,
  hasMore: false,
})
const markup = '<b>x</b>'.repeat(12_000)
/** HTML texts whose reading takes more CPU time than the limits of these tests. */
const expensive = texts(markup)
const quoteOptions = { action: 'reply', inline: true, own: [] } as const

test('MessageReader: every reading has the same result in a process', async () => {
  const { reader, read, overruns } = createReader()
  await using _ = reader
  const long = ' '.repeat(70_000)
  const { html } = await read('texts', texts(`<p onclick="x">Hi</p>${long}<img src="cid:a">`))
  expect(html).toMatch(/^<p>Hi<\/p>\s+<img src="cid:a" \/>$/)
  expect(await read('references', { html: `${html}`, ids: ['a'] })).toEqual(new Map([['a', 1]]))
  const images = [{ id: 'a', contentType: 'image/png', bytes: Buffer.from('abc') }]
  expect(await read('images', { html: `${html}`, images, maxTotalBytes: 10 })).toContain('YWJj')
  const calendar = 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nEND:VEVENT\nEND:VCALENDAR\n'
  expect(await read('calendars', [part(calendar)])).toEqual([{ entries: [{ uid: '1' }] }])
  expect(await read('summary', { html: `<p>Hi</p>${long}` })).toBe('Hi')
  const original = { subject: 'S', text: { plain: `Hi${long}` } }
  const { draft } = await read('quote', [{ text: 'Yes' }, original, quoteOptions])
  expect(draft).toMatchObject({ subject: 'Re: S', text: expect.stringContaining('> Hi') })
  const report = `From: <>\nSubject: failure notice\nX-Failed-Recipients: a@x.test\n\n550 no user${long}`
  expect(await read('report', Buffer.from(report))).toMatchObject({
    kind: 'delivery',
    recipients: [{ recipient: 'a@x.test', action: 'failed' }],
  })
  expect(overruns).toEqual([])
})

test('MessageReader: reads small content itself, everything else in a process', async () => {
  const { reader, read } = createReader()
  await reader[Symbol.asyncDispose]()
  const isSmall = (reading: Promise<unknown>) =>
    reading.then(
      () => true,
      (error: { kind?: string }) => error.kind !== 'unavailable',
    )
  const original = (html: string) => ({ text: { html } })
  const options = quoteOptions
  expect(
    await Promise.all(
      [
        read('texts', texts('x'.repeat(4_091))),
        read('texts', { ...texts('x'.repeat(65_531)), webSafe: false }),
        read('references', { html: 'x'.repeat(65_536), ids: [] }),
        read('images', { html: 'x'.repeat(65_536), images: [], maxTotalBytes: 1 }),
        read('report', Buffer.alloc(4_096)),
        read('summary', { html: 'x'.repeat(4_096) }),
        read('summary', { plain: 'Hi', html: 'x'.repeat(100_000) }),
        read('quote', [{}, original('x'.repeat(4_096)), options]),
        read('quote', [{}, original('x'.repeat(100_000)), { ...options, inline: false }]),
      ].map(isSmall),
    ),
  ).toEqual(Array.from({ length: 9 }, () => true))
  expect(
    await Promise.all(
      [
        read('texts', texts('x'.repeat(4_092))),
        read('texts', { ...texts('x'.repeat(65_532)), webSafe: false }),
        read('references', { html: 'x'.repeat(65_537), ids: [] }),
        read('images', { html: 'x'.repeat(65_537), images: [], maxTotalBytes: 1 }),
        read('calendars', [part('x')]),
        read('report', Buffer.alloc(4_097)),
        read('summary', { html: 'x'.repeat(4_097) }),
        read('summary', { plain: ' '.repeat(5_000), html: 'x'.repeat(4_097) }),
        read('quote', [{}, original('x'.repeat(4_097)), options]),
      ].map(isSmall),
    ),
  ).toEqual(Array.from({ length: 9 }, () => false))
})

const from = { address: 'a@x.test' }
const to = [{ address: 'b@x.test' }]
const message = (body: string) => Buffer.from(`From: a@x.test\nTo: b@x.test\n\n${body}`)

test('MessageReader: messages and bodies of requests have the same result in a process', async () => {
  const { reader, read, overruns } = createReader()
  await using _ = reader
  const composed = async (length: number) => {
    const key = new LinkKey(Buffer.alloc(32))
    const links = { baseUrl: 'https://p.test', account: 'a', messageId: '<1@x>' }
    const { mime, envelope } = await read('compose', {
      content: { to, html: `<a href="https://x.test">x</a>${' '.repeat(length)}` },
      options: { from, attached: [{ content: Buffer.from('abc'), filename: 'a.txt' }] },
      tracking: { ...links, key, opens: false, clicks: true },
    })
    expect(envelope).toEqual({ from: 'a@x.test', to: ['b@x.test'] })
    const text = mime.toString().replaceAll(/=\r\n/g, '')
    return /https:\/\/p\.test\/redirect\?data=3D[\w-]+&amp;sig=3D[\w.-]+/.exec(text)?.[0]
  }
  const link = await composed(0)
  expect(link).toMatch(/redirect/)
  expect(await composed(70_000)).toBe(link)
  const prepared = async (body: string) => {
    const options = { path: 'raw', from, messageId: '<1@x.test>', date: new Date(0) }
    const { mime, ...rest } = await read('prepare', [message(body), options])
    return { mime: mime.toString().replaceAll('x\r\n', ''), ...rest }
  }
  expect(await prepared('x\n'.repeat(40_000))).toEqual(await prepared('x\n'))
  const references = { inReplyTo: '<2@x>', references: ['<2@x>'] }
  const upload = await read('upload', { bytes: message('x\n'.repeat(40_000)), references })
  expect(upload.mime.toString('latin1', 0, 50)).toMatch(
    /^In-Reply-To: <2@x>\r\nReferences: <2@x>\r\nFrom: /,
  )
  const envelope = { from: 'a@x.test', to: ['b@x.test'] }
  await read('headerEnvelope', { mime: prepareLines('x\r\n'.repeat(40_000)), envelope })
  const bytes = Buffer.from(JSON.stringify({ to, subject: 'x' }))
  const request = { bytes, operation: 'submitMessage', maxValues: 100 }
  expect(await read('body', request)).toEqual({ to, subject: 'x', dryRun: false })
  expect(overruns).toEqual([])
})

const prepareLines = (body: string) =>
  Buffer.from(message(body).toString().replaceAll(/\r?\n/g, '\r\n'))

test('MessageReader: an error of a request reaches the caller and is no overrun', async () => {
  const { reader, read, overruns } = createReader()
  await using _ = reader
  const bytes = Buffer.from(JSON.stringify({ to: 1, subject: 'x' }))
  const request = { bytes, operation: 'submitMessage', maxValues: 100 }
  await expect(read('body', request)).rejects.toMatchObject({
    kind: 'invalid',
    extras: { fields: [{ path: expect.stringMatching(/^to/) }] },
  })
  for (const length of [0, 70_000])
    await expect(
      read('compose', {
        content: { to, text: ' '.repeat(length), headers: { bcc: 'x' } },
        options: { from },
      }),
    ).rejects.toMatchObject({ kind: 'invalid', message: '"headers.bcc" cannot be set' })
  expect(overruns).toEqual([])
})

test('MessageReader: a request beyond five times the CPU time is unprocessable', async () => {
  const { reader, read, overruns } = createReader({ timeoutMs: 1 })
  await using _ = reader
  const composing = read('compose', {
    content: { to, text: 'ü '.repeat(10_000_000) },
    options: { from },
  })
  await expect(composing).rejects.toMatchObject({
    kind: 'unprocessable',
    message: 'The message takes too long to compose',
  })
  expect(overruns).toEqual([{ account: 'a', part: 'compose', reason: 'timeout' }])
})

test('MessageReader: beyond the CPU time, returns the degraded result and reports it', async () => {
  const { reader, read, overruns } = createReader({ timeoutMs: 1 })
  await using _ = reader
  // The readings of the messages take so long that they still run when a busy machine lets this
  // process check them.
  const start = 'x'.repeat(65_536)
  expect(await read('texts', texts(markup, 'x'.repeat(16_000_000)))).toEqual({
    plain: start,
    html: `<p>${start}</p>`,
    webSafe: true,
    hasMore: true,
  })
  const lineBreaks = '<br>'.repeat(29_000)
  expect(await read('summary', { html: lineBreaks + 'x '.repeat(140_000) })).toBe('')
  const html = lineBreaks + 'x '.repeat(400_000)
  const quote = read('quote', [{ text: '' }, { text: { html } }, quoteOptions])
  await expect(quote).rejects.toMatchObject({ kind: 'unprocessable' })
  expect(overruns).toEqual([
    { account: 'a', part: 'texts', reason: 'timeout' },
    { account: 'a', part: 'summary', reason: 'timeout' },
    { account: 'a', part: 'quote', reason: 'timeout' },
  ])
})

test('MessageReader: beyond the queue, returns the degraded result and reports it', async () => {
  const { reader, read, overruns } = createReader({ maxWaiting: 1 })
  await using _ = reader
  const calendars = Array.from({ length: 5 }, () => read('calendars', [part('x')]))
  const results = await Promise.all(calendars)
  expect(results.filter(({ length }) => length === 0)).toHaveLength(overruns.length)
  expect(overruns[0]).toEqual({ account: 'a', part: 'calendars', reason: 'queue' })
})

test('MessageReader: a reading after one that was ended has its result', async () => {
  const { reader, read, overruns } = createReader({ timeoutMs: 500 })
  await using _ = reader
  const endless = read('texts', texts('<b>x</b>'.repeat(200_000), 'x'.repeat(16_000_000)))
  const next = read('calendars', [part('x')])
  await endless
  expect(await next).toHaveLength(1)
  expect(overruns.every(({ part }) => part === 'texts')).toBe(true)
})

test('MessageReader: content of one account does not delay that of another', async () => {
  const { reader, read } = createReader()
  await using _ = reader
  await Promise.all([read('calendars', [part('x')]), reader.forAccount('b')('calendars', [])])
  let finished = 0
  const hostile = Array.from({ length: 30 }, () => read('texts', expensive).then(() => finished++))
  await setImmediate()
  await reader.forAccount('b')('texts', texts(`<p>${'x'.repeat(5_000)}`))
  expect(finished).toBeLessThan(25)
  await Promise.all(hostile)
})

test('MessageReader: disposal ends readings in progress with unavailable', async () => {
  const { reader, read, overruns } = createReader()
  const readings = [read('texts', expensive), read('texts', expensive)]
  const results = Promise.allSettled(readings)
  await reader[Symbol.asyncDispose]()
  expect(await results).toMatchObject([
    { status: 'rejected', reason: { kind: 'unavailable' } },
    { status: 'rejected', reason: { kind: 'unavailable' } },
  ])
  expect(overruns).toEqual([])
})
