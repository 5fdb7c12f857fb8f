import { expect, test } from '@jest/globals'
import type { BodyPart, PartRequest } from '@posthorn/backends'
import { readInline } from '@posthorn/message-reader'
import { embedImages } from './embed-images.ts'
import { parseOutline } from './outline.ts'

/** Session and outline of a message with images. All images have the same content. */
function message(images: { id: string; size?: number; type?: string }[]) {
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
  const { embed, requested } = message([{ id: 'a' }, { id: 'a1' }, { id: 'unused' }])
  expect(
    await embed('<img src="cid:a1"><img src=cid:a><p style="background:url(cid:a)">cid:b'),
  ).toBe(`<img src="${url}"><img src=${url}><p style="background:url(${url})">cid:b`)
  expect(requested).toEqual(['2', '1'])
})

test('embedImages: keeps references to images beyond the limit and to other parts', async () => {
  const { embed } = message([{ id: 'a' }, { id: 'b' }, { id: 'text', type: 'text/html' }])
  expect(await embed('cid:a cid:text', 6)).toBe(`${url} cid:text`)
  expect(await embed('cid:a cid:a cid:b', 5)).toBe(`cid:a cid:a ${url}`)
  expect(await embed('no reference')).toBe('no reference')
})

test('embedImages: 999 parts and 2 MB of references, blocks for less than 300 ms', async () => {
  const images = Array.from({ length: 999 }, (_, at) => ({ id: `image-${at}`, size: 400_000_000 }))
  const html = '<img src="cid:image-1">'.repeat(85_000)
  const { embed } = message(images)
  const runs: number[] = []
  for (let run = 0; run < 3; run++) {
    const before = process.threadCpuUsage()
    await embed(html)
    const { user, system } = process.threadCpuUsage(before)
    runs.push((user + system) / 1_000)
  }
  expect(Math.min(...runs)).toBeLessThan(300)
})
