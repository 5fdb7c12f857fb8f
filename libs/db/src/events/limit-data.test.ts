import { describe, expect, test } from '@jest/globals'
import { limitEventData, maxEventBytes } from './limit-data.ts'
import { fitText, measureJson } from './json-size.ts'

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const limited = (data: Record<string, unknown>) => limitEventData(data) as typeof data
const list = <T>(length: number, one: (at: number) => T) =>
  Array.from({ length }, (_, at) => one(at))
const addresses = (count: number) =>
  list(count, (at) => ({ name: `Name ${at}`, address: `${at}@example.com` }))
const usual = {
  id: 'AAA',
  subject: 'Hello "Ann"',
  flags: ['\\Seen'],
  seemsLikeNew: true,
  size: 12,
}

describe('measureJson', () => {
  test.each([
    ['text', 'a"b\\c\n\u0001\u007f ä € 😀 \ud800 x'],
    ['members', { a: 1, 'b"': [true, null, -1.5], c: { d: 'x' }, left: undefined }],
    ['lists', [[], {}, [''], ['a', 'b']]],
  ])('%s: at most a few bytes above JSON.stringify', (_, value) => {
    const bytes = measureJson(value, { maxBytes: 10_000 })
    expect(bytes).toBeGreaterThanOrEqual(sizeOf(value))
    expect(bytes).toBeLessThanOrEqual(sizeOf(value) + 8)
  })

  test('stops above the limit', () => {
    const huge = 'x'.repeat(100_000_000)
    const bytes = measureJson({ huge, more: huge }, { maxBytes: 100 })
    expect(bytes).toBeGreaterThan(100)
    expect(bytes).toBeLessThan(5_000)
  })
})

test('fitText: keeps surrogate pairs together', () => {
  expect(fitText('ab😀c', 8)).toBe(4)
  expect(fitText('ab😀c', 7)).toBe(2)
  expect(fitText('ab😀c', 100)).toBe(5)
})

test.each([
  ['surrogate pairs', '😀'.repeat(20_000)],
  ['shifted surrogate pairs', `a${'😀'.repeat(20_000)}`],
  ['lone surrogates', '\ud800'.repeat(20_000)],
  ['escaped characters', '"\n\u0001'.repeat(10_000)],
])('fitText, measureJson: texts above a chunk, %s', (_, text) => {
  const end = fitText(text, 50_000)
  expect(sizeOf(text.slice(0, end))).toBeLessThanOrEqual(50_000)
  expect(sizeOf(text.slice(0, end + 2))).toBeGreaterThan(50_000)
  expect(measureJson(text, { maxBytes: 1e6 })).toBe(sizeOf(text))
})

describe('limitEventData', () => {
  test.each([undefined, null, 'text', { ...usual, to: addresses(1_000) }])(
    'data within the limit is the same object',
    (data) => {
      expect(limitEventData(data)).toBe(data)
    },
  )

  test('a long list is cut at its end, other members stay', () => {
    const to = addresses(50_000)
    const data = limited({ ...usual, to })
    expect(data).toMatchObject({ ...usual, truncated: ['to'] })
    const kept = data['to'] as typeof to
    expect(kept).toEqual(to.slice(0, kept.length))
    expect(sizeOf(data)).toBeLessThanOrEqual(maxEventBytes)
    expect(sizeOf(data)).toBeGreaterThan(0.9 * maxEventBytes)
  })

  test('large members share the bytes, the smaller ones of them stay whole', () => {
    const data = limited({
      ...usual,
      cc: addresses(5_000),
      headers: Object.fromEntries(list(50_000, (at) => [`x-${at}`, ['value']])),
      deliveryReport: { action: 'failed', diagnosticCode: '"'.repeat(2_000_000) },
      inReplyTo: 'ä'.repeat(600_000),
    })
    expect(data['truncated']).toEqual(['headers', 'deliveryReport', 'inReplyTo'])
    expect(data['cc']).toHaveLength(5_000)
    expect(data['deliveryReport']).toMatchObject({ action: 'failed' })
    expect(Object.keys(data['headers'] as object).slice(0, 2)).toEqual(['x-0', 'x-1'])
    expect(sizeOf(data)).toBeLessThanOrEqual(maxEventBytes)
    expect(sizeOf(data)).toBeGreaterThan(0.9 * maxEventBytes)
  })

  test.each([4, 16])('%d huge members: reads few more elements than it keeps', (count) => {
    let reads = 0
    const counted = (elements: unknown[]) =>
      new Proxy(elements, {
        get(target, name, proxy) {
          if (typeof name === 'string' && /^\d+$/.test(name)) reads++
          return Reflect.get(target, name, proxy) as unknown
        },
      })
    const data = limited(
      Object.fromEntries(list(count, (at) => [`m${at}`, counted(addresses(30_000))])),
    )
    const kept = list(count, (at) => (data[`m${at}`] as unknown[]).length)
    const whole = kept.reduce((sum, length) => sum + length, 0)
    expect(sizeOf(data)).toBeGreaterThan(0.9 * maxEventBytes)
    // Limiting event data reads each list element once to measure its member, and once for the
    // copy.
    expect(reads).toBeLessThan(2.2 * whole)
    expect(Math.max(...kept) - Math.min(...kept)).toBeLessThan(0.05 * whole)
  })

  test('members of different sizes: bytes that small ones leave go to larger ones', () => {
    const sizes = list(20, (at) => 2 ** at)
    const data = limited(Object.fromEntries(sizes.map((size) => [`m${size}`, 'x'.repeat(size)])))
    expect(data['truncated']).toEqual(['m524288'])
    expect(sizeOf(data)).toBeGreaterThan(0.9 * maxEventBytes)
  })

  test('texts and contents that settings limit are not cut', () => {
    const content = 'QUFB'.repeat(1_000_000)
    const attachments = list(10, (at) => ({ id: `a${at}`, contentType: 'a/b', content }))
    const text = { id: 't', plain: 'p'.repeat(2_097_152), html: 'h'.repeat(2_097_152) }
    expect(limited({ ...usual, text, attachments })).toEqual({ ...usual, text, attachments })
    const data = limited({ ...usual, text, attachments, to: addresses(50_000) })
    expect(data).toMatchObject({ truncated: ['to'] })
    expect(data['text']).toBe(text)
    expect(data['attachments']).toBe(attachments)
  })

  test('the first element of a list is cut if it is too large, names of cut members are kept', () => {
    const truncated = ['calendarEvents.content']
    const data = limited({ ...usual, truncated, references: ['x'.repeat(3_000_000), 'y'] })
    expect(data['truncated']).toEqual(['calendarEvents.content', 'references'])
    expect(data['references']).toEqual([expect.stringMatching(/^x{900000,}$/)])
    expect(sizeOf(data)).toBeLessThanOrEqual(maxEventBytes)
  })

  test.each([
    ['names of members', Object.fromEntries([['n'.repeat(2_000_000), 'x']])],
    ['many tiny members', Object.fromEntries(list(300_000, (at) => [`m${at}`, at]))],
    ['nested lists', list(1_000, () => list(500, () => ['x', 'y']))],
    ['control characters', '\u0001'.repeat(1_000_000)],
    ['lone surrogates', '\ud800'.repeat(1_000_000)],
  ])('%s: the result is within the limit', (_, hostile) => {
    const data = limited({ ...usual, hostile })
    expect(data).toMatchObject({ ...usual, truncated: ['hostile'] })
    expect(sizeOf(data)).toBeLessThanOrEqual(maxEventBytes)
  })
})
