import { expect, test } from '@jest/globals'
import type { MessageStructureObject } from 'imapflow'
import type { BodyPart } from '../../mail-session.ts'
import { findPart, toBodyPart } from './structure.ts'

const text = (): MessageStructureObject => ({ type: 'text/plain' })
const multipart = (...childNodes: MessageStructureObject[]): MessageStructureObject => ({
  type: 'multipart/mixed',
  childNodes,
})
const message = (child: MessageStructureObject): MessageStructureObject => ({
  type: 'message/rfc822',
  childNodes: [child],
})

function numbers(part: BodyPart): unknown {
  return part.childNodes ? [part.part, part.childNodes.map(numbers)] : part.part
}

test('toBodyPart: example of RFC 9051 §6.4.5, has its part numbers', () => {
  const root = multipart(
    text(),
    text(),
    message(multipart(text(), text())),
    multipart(text(), message(multipart(text(), multipart(text(), text())))),
  )
  expect(numbers(toBodyPart(root))).toEqual([
    undefined,
    [
      '1',
      '2',
      ['3', [[undefined, ['3.1', '3.2']]]],
      ['4', ['4.1', ['4.2', [[undefined, ['4.2.1', ['4.2.2', ['4.2.2.1', '4.2.2.2']]]]]]]],
    ],
  ])
})

test('toBodyPart: body of a message without multipart, is part 1, also in a nested message', () => {
  expect(numbers(toBodyPart(text()))).toBe('1')
  expect(numbers(toBodyPart(multipart(text(), message(text()))))).toEqual([
    undefined,
    ['1', ['2', ['2.1']]],
  ])
  expect(numbers(toBodyPart(message(text())))).toEqual(['1', ['1.1']])
})

test('findPart: finds a part by its number only', () => {
  const root = toBodyPart(multipart(text(), multipart(text(), { ...text(), size: 7 })))
  expect(findPart(root, '2.2')?.size).toBe(7)
  for (const part of ['', '3', '2.3', '2.2.1', 'HEADER', '2.2.MIME'])
    expect(findPart(root, part)).toBeUndefined()
})

test('toBodyPart: deep nesting, is cut off', () => {
  let node = text()
  for (let depth = 0; depth < 1_000; depth++) node = multipart(node)
  let depth = 0
  for (let part: BodyPart | undefined = toBodyPart(node); part; part = part.childNodes?.[0]) depth++
  expect(depth).toBeLessThan(70)
})

test('toBodyPart: NUL and unpaired surrogates, are removed', () => {
  const root = toBodyPart({
    type: 'text/plain',
    parameters: { name: 'a\0b\ud800' },
    disposition: 'attach\0ment',
  })
  expect(root).toEqual({
    part: '1',
    type: 'text/plain',
    parameters: { name: 'ab\ufffd' },
    disposition: 'attachment',
  })
})
