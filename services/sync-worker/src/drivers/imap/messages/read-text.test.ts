import { expect, test } from '@jest/globals'
import type { BodyPart, PartRequest } from '@posthorn/backends'
import { readInline } from '@posthorn/message-reader'
import { fastestBlockedMs } from '@posthorn/testkit'
import { parseOutline } from './outline.ts'
import { embedImages, readText } from './read-text.ts'

/** Message with some text parts. The fake session records which parts are requested. */
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

/**
 * Fake IMAP session with a message that has some attached images, and the outline of the message.
 * All images have the same content.
 */
function messageWith(images: { id: string; size?: number; type?: string }[]) {
  const structure: BodyPart = {
    type: 'multipart/related',
    childNodes: images.map(({ id, size = 4, type = 'image/png' }, at) => ({
      part: String(at + 1),
      type,
      id: `<${id}>`,
      size,
    })),
  }
  const requested: string[] = []
  const session = {
    readParts: async (_uid: number, _structure: BodyPart, parts: readonly PartRequest[]) => {
      requested.push(...parts.map(({ part }) => part))
      return new Map(parts.map(({ part }) => [part, Buffer.from('abc')]))
    },
  }
  const embed = (html: string, maxTotalBytes = 1_000) =>
    embedImages(
      { session, read: readInline },
      { uid: 1, outline: parseOutline(structure) },
      { html, maxTotalBytes },
    )
  return { requested, embed }
}
const url = 'data:image/png;base64,YWJj'

test('embedImages: replaces references in attributes and CSS, in one pass', async () => {
  const { embed, requested } = messageWith([{ id: 'a' }, { id: 'a1' }, { id: 'unused' }])
  expect(
    await embed('<img src="cid:a1"><img src=cid:a><p style="background:url(cid:a)">cid:b'),
  ).toBe(`<img src="${url}"><img src=${url}><p style="background:url(${url})">cid:b`)
  expect(requested).toEqual(['2', '1'])
})

test('embedImages: keeps references to images beyond the limit and to other parts', async () => {
  const { embed } = messageWith([{ id: 'a' }, { id: 'b' }, { id: 'text', type: 'text/html' }])
  expect(await embed('cid:a cid:text', 6)).toBe(`${url} cid:text`)
  expect(await embed('cid:a cid:a cid:b', 5)).toBe(`cid:a cid:a ${url}`)
  expect(await embed('no reference')).toBe('no reference')
})

test('embedImages: 999 parts and 2 MB of references, blocks for at most 300 ms', async () => {
  const images = Array.from({ length: 999 }, (_, at) => ({ id: `image-${at}`, size: 400_000_000 }))
  const html = '<img src="cid:image-1">'.repeat(85_000)
  const { embed } = messageWith(images)
  expect(await fastestBlockedMs(() => embed(html), 300)).toBeLessThanOrEqual(300)
})
