import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
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
/** Takes more CPU time than the limits of these tests. */
const expensive = texts('<b>x</b>'.repeat(12_000))
const lineBreaks = '<br>'.repeat(29_000)
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

test('MessageReader: beyond the CPU time, returns the degraded result and reports it', async () => {
  const { reader, read, overruns } = createReader({ timeoutMs: 1 })
  await using _ = reader
  expect(await read('texts', expensive)).toEqual({
    plain: 'Hello',
    html: '<p>Hello</p>',
    webSafe: true,
    hasMore: true,
  })
  expect(await read('summary', { html: lineBreaks })).toBe('')
  const quote = read('quote', [{ text: '' }, { text: { html: lineBreaks } }, quoteOptions])
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
