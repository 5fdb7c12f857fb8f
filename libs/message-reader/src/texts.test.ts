import { expect, test } from '@jest/globals'
import { readPlainStart, readSummaryText, readTexts, truncateToFit } from './texts.ts'

const part = (text: string | Buffer, isTruncated = false) => ({
  bytes: Buffer.from(text),
  charset: 'utf-8',
  isTruncated,
})
const options = { wantsPlain: true, webSafe: false, hasMore: false }
const maxJsonBytes = 12 * 2 ** 20

test('readTexts: joins the parts of each kind', () => {
  const texts = { plain: [part('one\r\n'), part('two')], html: [part('<p>1</p>')] }
  expect(readTexts({ ...texts, ...options })).toEqual({
    plain: 'one\n\ntwo',
    html: '<p>1</p>',
    hasMore: false,
  })
  expect(readTexts({ plain: [], html: [], ...options })).toEqual({ hasMore: false })
})

test('readTexts: converts plain text to web-safe HTML if there is no HTML', () => {
  const texts = { plain: [part('a < b\nc')], html: [], ...options, webSafe: true }
  const { plain, html } = readTexts(texts)
  expect(plain).toBe('a < b\nc')
  expect(html).toContain('a &lt; b<br')
  expect(readTexts({ ...texts, wantsPlain: false })).not.toHaveProperty('plain')
})

test('readTexts: web-safe HTML that the sanitiser has cut has more', () => {
  const html = [part(`${'<b>x</b>'.repeat(100_000)}end`)]
  const safe = readTexts({ plain: [], html, ...options, webSafe: true })
  expect(safe).toMatchObject({ hasMore: true, webSafe: true, html: expect.stringMatching(/^x+$/) })
  expect(readTexts({ plain: [], html, ...options }).hasMore).toBe(false)
  const plain = [part('x'.repeat(3_000_000))]
  expect(readTexts({ plain, html: [], ...options, webSafe: true }).hasMore).toBe(true)
})

test('readTexts: removes half a character at the end of a truncated part', () => {
  const cut = Buffer.from('aü').subarray(0, 2)
  expect(readTexts({ plain: [part(cut, true)], html: [], ...options }).plain).toBe('a')
  expect(readTexts({ plain: [part(cut)], html: [], ...options }).plain).toBe('a\uFFFD')
})

test('readTexts: changes line ends in long texts, wherever they are', () => {
  const long = '\r\n'.repeat(1_500_001)
  const plain = [part(long), part(`x${long}`)]
  const text = readTexts({ plain, html: [], ...options }).plain
  expect(text?.length).toBe(3_000_004)
  expect(text).not.toContain('\r')
})

test('truncateToFit: halves the longer text until the JSON fits', () => {
  const nasty = '\u0001'.repeat(3 * 2 ** 20)
  const fitting = truncateToFit(
    { plain: nasty, html: `${nasty}${nasty}`, hasMore: false },
    maxJsonBytes,
  )
  expect(fitting.hasMore).toBe(true)
  expect(JSON.stringify(fitting).length).toBeLessThan(13 * 2 ** 20)
  const small = { plain: 'x', hasMore: false }
  expect(truncateToFit(small, maxJsonBytes)).toBe(small)
})

test('readPlainStart: has the first 64 KiB of plain text and no HTML of the message', () => {
  const texts = { plain: [part('x'.repeat(65_000)), part('<y>'.repeat(1_000))], ...options }
  const html = [part('<script>')]
  const start = readPlainStart({ ...texts, html })
  expect([start.plain?.length, start.hasMore]).toEqual([65_537, true])
  expect(start).not.toHaveProperty('html')
  const safe = readPlainStart({ ...texts, html, webSafe: true })
  expect(safe.html).toMatch(/^<p>x+<br>\n(?:&lt;y&gt;)+/)
})

test('readSummaryText: converts HTML if the plain text is empty', () => {
  expect(readSummaryText({ plain: ' \n', html: '<p>Hello</p>' })).toBe('Hello')
  expect(readSummaryText({ plain: ' Hi ', html: '<p>Hello</p>' })).toBe('Hi')
  expect(readSummaryText({ plain: 'x'.repeat(30_000) })).toHaveLength(20_000)
})
