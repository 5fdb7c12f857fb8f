import { expect, test } from '@jest/globals'
import { countReferences, embedImages } from './images.ts'

const image = (id: string) => ({ id, contentType: 'image/png', bytes: Buffer.from('abc') })
const url = 'data:image/png;base64,YWJj'

test('countReferences: counts per content id, up to 10,000 in all', () => {
  expect(countReferences({ html: 'cid:b cid:a cid:b cid:c', ids: ['a', 'b'] })).toEqual(
    new Map([
      ['b', 2],
      ['a', 1],
    ]),
  )
  const many = countReferences({ html: 'cid:a '.repeat(20_000), ids: ['a'] })
  expect(many.get('a')).toBe(10_000)
})

test('embedImages: replaces references in attributes and CSS, in one pass', () => {
  const html = '<img src="cid:a1"><img src=cid:a><p style="background:url(cid:a)">cid:b'
  expect(embedImages({ html, images: [image('a'), image('a1')], maxTotalBytes: 1_000 })).toBe(
    `<img src="${url}"><img src=${url}><p style="background:url(${url})">cid:b`,
  )
})

test('embedImages: keeps references to images beyond the limit of all copies', () => {
  const images = [image('a'), image('b')]
  const html = 'cid:a cid:a cid:b'
  expect(embedImages({ html, images, maxTotalBytes: 5 })).toBe(`cid:a cid:a ${url}`)
})

test('embedImages: without images if the texts then exceed the JSON size limit', () => {
  const html = 'cid:a '.repeat(100)
  const texts = { html, plain: 'x', images: [image('a')], maxTotalBytes: 1_000 }
  expect(embedImages({ ...texts, maxJsonBytes: 10_000 })).toContain(url)
  expect(embedImages({ ...texts, maxJsonBytes: 1_000 })).toBe(html)
})
