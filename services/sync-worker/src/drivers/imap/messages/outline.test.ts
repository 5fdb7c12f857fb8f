import { expect, test } from '@jest/globals'
import type { BodyPart } from '@posthorn/backends'
import { parseOutline } from './outline.ts'

const text = (part: string, type = 'text/plain', over: Partial<BodyPart> = {}): BodyPart => ({
  part,
  type,
  parameters: { charset: 'utf-8' },
  size: 10,
  ...over,
})
const numbers = (parts: { part: string }[]) => parts.map(({ part }) => part)

test('parseOutline: a message that is not multipart has text part 1', () => {
  const { part: _, ...structure } = text('')
  expect(parseOutline(structure)).toMatchObject({
    plain: [{ part: '1', charset: 'utf-8', size: 10 }],
    html: [],
  })
})

test('parseOutline: separates alternatives, an embedded image and an attachment', () => {
  const outline = parseOutline({
    type: 'multipart/mixed',
    childNodes: [
      {
        part: '1',
        type: 'multipart/related',
        childNodes: [
          {
            part: '1.1',
            type: 'multipart/alternative',
            childNodes: [text('1.1.1'), text('1.1.2', 'text/html')],
          },
          { part: '1.2', type: 'image/png', id: '<logo@x>', disposition: 'inline', size: 5 },
        ],
      },
      {
        part: '2',
        type: 'application/pdf',
        disposition: 'attachment',
        dispositionParameters: { filename: 'a.pdf' },
        size: 99,
      },
    ],
  })
  expect(numbers(outline.plain)).toEqual(['1.1.1'])
  expect(numbers(outline.html)).toEqual(['1.1.2'])
  expect(outline.attachments).toEqual([
    {
      part: '1.2',
      contentType: 'image/png',
      size: 5,
      embedded: true,
      inline: true,
      contentId: '<logo@x>',
    },
    {
      part: '2',
      contentType: 'application/pdf',
      size: 99,
      embedded: false,
      inline: false,
      filename: 'a.pdf',
    },
  ])
})

test('parseOutline: attached text is an attachment', () => {
  const outline = parseOutline({
    type: 'multipart/mixed',
    childNodes: [
      text('1'),
      text('2', 'text/plain', { disposition: 'attachment' }),
      text('3', 'text/plain', { parameters: { NAME: 'notes.txt' } }),
    ],
  })
  expect(numbers(outline.plain)).toEqual(['1'])
  expect(numbers(outline.attachments)).toEqual(['2', '3'])
})

test('parseOutline: returns several text parts', () => {
  const outline = parseOutline({ type: 'multipart/mixed', childNodes: [text('1'), text('2')] })
  expect(numbers(outline.plain)).toEqual(['1', '2'])
})

test('parseOutline: a nested message is one attachment', () => {
  const outline = parseOutline({
    type: 'multipart/mixed',
    childNodes: [text('1'), { part: '2', type: 'message/rfc822', childNodes: [text('2.1')] }],
  })
  expect(numbers(outline.plain)).toEqual(['1'])
  expect(numbers(outline.attachments)).toEqual(['2'])
})

test('parseOutline: limits nesting and number of parts', () => {
  let nested: BodyPart = text('1')
  for (let depth = 0; depth < 10_000; depth++)
    nested = { type: 'multipart/mixed', childNodes: [nested] }
  expect(parseOutline(nested)).toMatchObject({ plain: [], html: [], attachments: [] })
  const wide = {
    type: 'multipart/mixed',
    childNodes: Array.from({ length: 5_000 }, (_, i) => text(String(i + 1))),
  }
  expect(parseOutline(wide).plain.length).toBeLessThan(1_001)
})
