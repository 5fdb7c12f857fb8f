import { expect, test } from '@jest/globals'
import { composeMessage, parseMessage } from './index.ts'
import { inlineImages } from './compose-html.ts'
import { addPreheader } from './compose-html.ts'

const png = Buffer.from('89504e470d0a', 'hex')
const image = `data:image/png;base64,${png.toString('base64')}`

test('inlineImages: attaches each data URL image once', () => {
  const html = `<p><img alt="a" src="${image}"><IMG SRC = '${image}'><img src="https://x.example/a.png"></p>`
  const { html: made, attached } = inlineImages(html)
  expect(attached).toEqual([
    {
      content: png,
      contentType: 'image/png',
      contentDisposition: 'inline',
      cid: expect.stringMatching(/^[0-9a-f]{32}@inline$/),
      filename: 'image-1.png',
    },
  ])
  const cid = attached[0]?.cid
  expect(made).toBe(
    `<p><img alt="a" src="cid:${cid}"><IMG SRC = 'cid:${cid}'><img src="https://x.example/a.png"></p>`,
  )
})

test('inlineImages: decodes images without base64 as text', () => {
  const { attached } = inlineImages('<img src="data:image/svg+xml;charset=utf8,%3Csvg/%3E">')
  expect(attached).toMatchObject([{ contentType: 'image/svg+xml', filename: 'image-1.svg' }])
  expect(attached[0]?.content.toString()).toBe('<svg/>')
})

test.each([
  '<img src="data:text/html;base64,AAAA">',
  '<img src="data:image/png;base64,">',
  '<img src="data:image/png,%zz">',
  '<img src="data:image/png;base64,AAAA',
  'data:image/png;base64,AAAA',
  '<a href="data:image/png;base64,AAAA">x</a>',
])('inlineImages: leaves %s unchanged', (html) => {
  expect(inlineImages(html)).toEqual({ html, attached: [] })
})

test.each([
  ['images that never end', 'src="data:image/png;base64,AA '],
  ['beginnings', 'src="data:image/png'],
  ['parameters', 'src="data:image/png;a=b;c=d;'],
  ['small images', '<img src="data:image/png;base64,AAAA">'],
])('inlineImages: HTML full of %s, is linear in time', (_name, piece) => {
  const html = piece.repeat(2_000_000 / piece.length)
  expect(inlineImages(html).attached.length).toBeLessThanOrEqual(1)
})

test('composeMessage: attaches inline images and omits them in the text alternative', async () => {
  const { mime } = await composeMessage(
    {
      to: [{ address: 'a@x.example' }],
      html: `<body><b>Hi</b><img src="${image}"></body>`,
      previewText: 'First & <second>',
    },
    { from: { address: 'b@x.example' } },
  )
  const parsed = await parseMessage(mime)
  expect(parsed.text.trim()).toBe('Hi')
  expect(parsed.html).toMatch(/^<body><div style="display:none[^>]+>First &amp; &lt;second&gt;/)
  expect(parsed.html).toMatch(/<\/div><b>Hi<\/b><img src="cid:[0-9a-f]{32}@inline"><\/body>$/)
  expect(parsed.attachments).toMatchObject([
    { contentType: 'image/png', inline: true, content: png },
  ])
})

test.each([
  ['<p>x</p>', /^<div style=[^>]+>hello.*<\/div><p>x<\/p>$/],
  ['<!doctype html><html lang="en"><p>x', /^<!doctype html><html lang="en"><div .*<\/div><p>x$/],
  ['<head><title>t</title></head>x', /^<head><title>t<\/title><\/head><div .*<\/div>x$/],
  [
    '<html><BODY class="a">x</BODY></html>',
    /^<html><BODY class="a"><div .*<\/div>x<\/BODY><\/html>$/,
  ],
])('addPreheader: inserts the hidden line at the start of %s', (html, expected) => {
  expect(addPreheader(html, ' hello\r\n')).toMatch(expected)
  expect(addPreheader(html, ' \n')).toBe(html)
})
