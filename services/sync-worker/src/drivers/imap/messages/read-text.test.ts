import { expect, test } from '@jest/globals'
import type { BodyPart, PartRequest } from '@posthorn/backends'
import { readInline } from '@posthorn/message-reader'
import { parseOutline } from './outline.ts'
import { readText } from './read-text.ts'

/** Message with these texts, which records the requested parts. */
function message(texts: { type: string; content: string; size?: number }[]) {
  const structure: BodyPart = {
    type: 'multipart/mixed',
    childNodes: texts.map(({ type, content, size }, at) => ({
      part: String(at + 1),
      type,
      parameters: { charset: 'utf-8' },
      size: size ?? Buffer.byteLength(content),
    })),
  }
  const requests: PartRequest[][] = []
  const session = {
    readParts: async (_uid: number, _structure: BodyPart, parts: readonly PartRequest[]) => {
      requests.push([...parts])
      return new Map(
        parts.map(({ part, maxBytes }) => [
          part,
          Buffer.from(texts[Number(part) - 1]?.content ?? '').subarray(0, maxBytes),
        ]),
      )
    },
  }
  const options = { plain: true, html: true, webSafe: false }
  const read = (maxBytes: number, over: Partial<typeof options> = {}) =>
    readText(
      { session, read: readInline },
      { uid: 1, outline: parseOutline(structure) },
      { ...options, maxBytes, ...over },
    )
  return { requests, read }
}
const plain = (content: string, size?: number) => ({
  type: 'text/plain',
  content,
  ...(size === undefined ? {} : { size }),
})
const html = (content: string) => ({ type: 'text/html', content })

test('readText: reads all texts in one round trip and joins them per kind', async () => {
  const { requests, read } = message([plain('one'), html('<p>1</p>'), plain('two')])
  expect(await read(1_000)).toEqual({ plain: 'one\ntwo', html: '<p>1</p>', hasMore: false })
  expect(requests).toHaveLength(1)
})

test('readText: parts that may exceed the limit are requested one by one with the remaining bytes', async () => {
  const { requests, read } = message([plain('12345', 9), plain('67890', 9), plain('abc', 9)])
  expect(await read(8)).toEqual({ plain: '12345\n678\n', hasMore: true })
  expect(requests.map((parts) => parts.map(({ maxBytes }) => maxBytes))).toEqual([[9], [4], [1]])
})

test('readText: reads only requested kinds, and converts plain text to safe HTML', async () => {
  const { requests, read } = message([plain('a < b'), html('<b>x</b>')])
  expect(await read(100, { html: false })).toEqual({ plain: 'a < b', hasMore: false })
  expect(requests).toEqual([[{ part: '1', maxBytes: 101 }]])
  const only = message([plain('a < b\nc')])
  expect(await only.read(100, { plain: false, webSafe: true })).toMatchObject({
    html: expect.stringContaining('a &lt; b<br'),
    webSafe: true,
  })
})

test('readText: message without texts, returns none', async () => {
  expect(await message([]).read(100)).toEqual({ hasMore: false })
  expect(await message([]).read(100, { webSafe: true })).toMatchObject({ webSafe: true })
})

test('readText: reads at most 20 parts per kind', async () => {
  const { read } = message(Array.from({ length: 30 }, () => plain('x')))
  const text = await read(1_000)
  expect([text.plain?.split('\n').length, text.hasMore]).toEqual([20, true])
})
