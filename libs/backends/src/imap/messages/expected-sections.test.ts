import { expect, test } from '@jest/globals'
import type { BodyPart, MessagePartsRequest } from '../../mail-session.ts'
import { expectedSections } from './expected-sections.ts'

function leaf(part: string, size: number, encoding = 'base64'): BodyPart {
  return { part, type: 'text/plain', encoding, size }
}

function mixed(...childNodes: BodyPart[]): BodyPart {
  return { type: 'multipart/mixed', childNodes }
}

/** Request for MIME parts of a message, by default without limits of their length. */
function request(
  ...[uid, structure, parts, maxBytes = Infinity]: readonly [
    uid: number,
    structure: BodyPart,
    parts: readonly string[],
    maxBytes?: number,
  ]
): MessagePartsRequest {
  return { uid, structure, wanted: parts.map((part) => ({ part, maxBytes })) }
}

const both = ['1', '2']

test('expectedSections: messages of one layout, a fourth longer than the longest part', () => {
  const requests = [
    request(1, mixed(leaf('1', 100), leaf('2', 5_000)), both),
    request(2, mixed(leaf('1', 3_000), leaf('2', 10)), both),
    request(3, leaf('1', 9_000), ['1']),
  ]
  expect(expectedSections(requests)).toEqual([
    { key: '1', maxLength: 4 * 1024 },
    { key: '2', maxLength: 7 * 1024 },
  ])
})

test('expectedSections: part whose length is a whole unit, leaves a byte that shows its end', () => {
  const sizes = [0, 4_096, 1_024 * 0.8 * 4]
  const lengths = sizes.map(
    (size) => expectedSections([request(1, leaf('1', size), ['1'])])[0]?.maxLength,
  )
  expect(lengths).toEqual([1_024, 6 * 1_024, 5 * 1_024])
})

test('expectedSections: no layout of more than half of the messages, none', () => {
  const requests = [
    request(1, leaf('1', 10), ['1']),
    request(2, leaf('1', 10), ['1']),
    request(3, mixed(leaf('1', 10), leaf('2', 10)), both),
    request(4, mixed(leaf('1', 10), leaf('2', 10)), ['1']),
  ]
  expect(expectedSections(requests)).toEqual([])
  expect(expectedSections(requests.slice(0, 3))).toEqual([{ key: 'TEXT', maxLength: 1024 }])
  expect(expectedSections([])).toEqual([])
})

test('expectedSections: more than 64 KiB per message, none', () => {
  const max = 64 * 1024
  const fitting = (max - 1) / 1.25
  const one = (size: number) => request(size, leaf('1', size), ['1'])
  expect(expectedSections([one(fitting - 1)])).toEqual([{ key: 'TEXT', maxLength: max }])
  expect(expectedSections([one(fitting + 1)])).toEqual([])
  // Each message stays below 64 KiB, but the sum of the longest MIME parts of both messages does
  // not.
  const two = (uid: number, first: number, second: number) =>
    request(uid, mixed(leaf('1', first), leaf('2', second)), both)
  expect(expectedSections([two(1, 40_000, 10), two(2, 10, 40_000)])).toEqual([])
})

test('expectedSections: a message longer than 64 KiB, does not count', () => {
  const sizes = [10, 100_000, 20, 30]
  const requests = sizes.map((size) => request(size, leaf('1', size), ['1']))
  expect(expectedSections(requests)).toEqual([{ key: 'TEXT', maxLength: 1024 }])
})

test('expectedSections: text and attachments requested separately, are sections of one message', () => {
  const structure = mixed(leaf('1', 10), leaf('2', 10))
  const expected = [
    { key: '1', maxLength: 1024 },
    { key: '2', maxLength: 1024 },
  ]
  const text = (uid: number) => request(uid, structure, ['1'])
  const attachments = (uid: number) => request(uid, structure, ['2'])
  expect(expectedSections([text(1), text(2), attachments(1), attachments(2)])).toEqual(expected)
  expect(expectedSections([attachments(1), text(1), text(2), attachments(2)])).toEqual(expected)
})

test('expectedSections: part requested twice, is one section', () => {
  const structure = leaf('1', 10_000, '7bit')
  const requests = [request(1, structure, ['1'], 500), request(1, structure, ['1'], 900)]
  expect(expectedSections(requests)).toEqual([{ key: 'TEXT', maxLength: 900 }])
})

test('expectedSections: start of long parts, no more than requested', () => {
  const requests = [request(1, leaf('1', 10_000_000, '7bit'), ['1'], 2_000)]
  expect(expectedSections(requests)).toEqual([{ key: 'TEXT', maxLength: 2_000 }])
})
