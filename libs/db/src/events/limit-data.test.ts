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
    expect(measureJson({ huge, more: huge }, { maxBytes: 100 })).toBe(101)
  })
})

test('fitText: keeps surrogate pairs together', () => {
  expect(fitText('ab😀c', 8)).toMatchObject({ end: 4 })
  expect(fitText('ab😀c', 7)).toMatchObject({ end: 2 })
  expect(fitText('ab😀c', 100)).toEqual({ end: 5, bytes: 9 })
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
