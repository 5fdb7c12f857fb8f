import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MessageReader, readInline, type ReadPart } from '@posthorn/message-reader'
import { isAutoReply, parseHeaders, parseMessage } from '@posthorn/mime'
import {
  blockedMs,
  fastestBlockedMs,
  grownMessages,
  type HostileMessage,
  hostileMessages,
  isFullFaultRun,
} from '@posthorn/testkit'

/** Maximum CPU time for which reading a message may block the event loop of the process. */
const maxMs = 100

let reader: MessageReader
let read: ReadPart
beforeAll(() => {
  reader = new MessageReader({ processes: 2, timeoutMs: 20_000, onOverrun: () => undefined })
  read = reader.forAccount('hostile')
})
afterAll(() => reader[Symbol.asyncDispose]())

const part = (bytes: Uint8Array | string) => ({
  bytes: Buffer.from(bytes),
  charset: 'utf-8',
  isTruncated: false,
})
const quoteOptions = { action: 'reply', inline: true, own: [] } as const

/** All readings (functions that read foreign content) that services apply to a message, by name. */
function readingsOf({ mime, html, calendar }: HostileMessage): Record<string, () => unknown> {
  const bytes = mime()
  const options = { wantsPlain: true, webSafe: true, hasMore: false }
  const texts = html
    ? { plain: [], html: [part(html())], ...options }
    : { plain: [part(bytes)], html: [], ...options }
  const head = bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 4)
  const original = { text: { html: html?.() ?? '' } }
  return {
    head: () => isAutoReply(parseHeaders(bytes)),
    addresses: () => parseMessage(head),
    texts: () => read('texts', texts),
    report: () => read('report', bytes.subarray(0, 1024 * 1024)),
    ...(calendar && { calendars: () => read('calendars', [part(calendar())]) }),
    ...(html && {
      summary: () => read('summary', original.text),
      references: () => read('references', { html: original.text.html, ids: ['a'] }),
      quote: () => read('quote', [{ html: '' }, original, quoteOptions]),
    }),
  }
}

/** Dimension of a grown message, which the name contains before the size. */
const dimensionOf = (message?: HostileMessage) => message?.name.split(',')[0]
const largest = grownMessages.filter(
  (message, at) => dimensionOf(message) !== dimensionOf(grownMessages[at + 1]),
)
/** Hostile messages and the largest message of each dimension. A full run has all messages. */
const allMessages = [...hostileMessages, ...(isFullFaultRun ? grownMessages : largest)]

/**
 * Readings to measure for the message with the number `at`. For an HTML message, the readings of
 * the head and one of the five other readings are measured, in turn. A full run measures all
 * readings of each message.
 */
function measuredReadings(message: HostileMessage, at: number): [string, () => unknown][] {
  const all = Object.entries(readingsOf(message))
  if (isFullFaultRun || !message.html) return all
  return all.filter((_, index) => index < 2 || index === 2 + (at % (all.length - 2)))
}

describe('no message blocks the event loop', () => {
  test.each(allMessages.map((message, at) => [message.name, message, at] as const))(
    '%s',
    async (_, message, at) => {
      const slow: string[] = []
      for (const [name, run] of measuredReadings(message, at)) {
        const fastest = await fastestBlockedMs(run, maxMs)
        if (fastest > maxMs) slow.push(`${name} took ${Math.round(fastest)} ms`)
      }
      expect(slow).toEqual([])
    },
  )
})

const named = (name: string) => hostileMessages.find((message) => message.name === name)

test('blockedMs: ten hostile calendars block the event loop only without processes', async () => {
  const calendar = named('calendar: zone of 20 observances in 100 years')?.calendar?.() ?? ''
  const calendars = Array.from({ length: 10 }, () => part(calendar))
  expect(await blockedMs(() => readInline('calendars', calendars))).toBeGreaterThan(maxMs)
  expect(await fastestBlockedMs(() => read('calendars', calendars), maxMs)).toBeLessThanOrEqual(
    maxMs,
  )
})

test('a usual message of another account is read before the hostile messages', async () => {
  const other = reader.forAccount('other')
  const usual = `<p>${'Hello '.repeat(2_000)}</p>`
  const options = { plain: [], wantsPlain: true, webSafe: true, hasMore: false }
  const textsOf = (html: string) => ({ html: [part(html)], ...options })
  let finished = 0
  const html = hostileMessages.flatMap((message) => message.html?.() ?? []).slice(0, 60)
  const hostile = html.map((text) => read('texts', textsOf(text)).then(() => finished++))
  for (let count = 0; count < 5; count++)
    expect((await other('texts', textsOf(usual))).html).toContain('Hello')
  expect(finished).toBeLessThan(html.length)
  await Promise.all(hostile)
})
