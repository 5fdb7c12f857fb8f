import { expect, test } from '@jest/globals'
import { attachmentHeaders } from './attachment-headers.ts'

const disposition = (filename?: string) =>
  attachmentHeaders({ contentType: 'image/png', ...(filename === undefined ? {} : { filename }) })[
    'Content-Disposition'
  ]

test('attachmentHeaders: an ASCII name is sent in both forms', () => {
  expect(disposition('report 2.pdf')).toBe(
    `attachment; filename="report 2.pdf"; filename*=UTF-8''report%202.pdf`,
  )
  expect(disposition()).toBe('attachment')
  expect(disposition(' \u200b\r\n')).toBe('attachment')
})

test('attachmentHeaders: any other name is sent as ASCII and as UTF-8', () => {
  expect(disposition('Übersicht (1).pdf')).toBe(
    `attachment; filename="_bersicht (1).pdf"; filename*=UTF-8''%C3%9Cbersicht%20%281%29.pdf`,
  )
  expect(disposition("it's 100%.txt")).toBe(
    `attachment; filename="it's 100_.txt"; filename*=UTF-8''it%27s%20100%25.txt`,
  )
  expect(disposition('😀.txt')).toBe(
    `attachment; filename="_.txt"; filename*=UTF-8''%F0%9F%98%80.txt`,
  )
})

test('attachmentHeaders: a name can neither end the header nor leave its directory', () => {
  expect(disposition('a"; x="\r\nSet-Cookie: b')).toBe(
    `attachment; filename="a_; x=_Set-Cookie: b"; filename*=UTF-8''a%22%3B%20x%3D%22Set-Cookie%3A%20b`,
  )
  expect(disposition('../../etc\\passwd')).toBe(
    `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''.._.._etc_passwd`,
  )
  expect(disposition(`${'a'.repeat(254)}😀`)).toMatch(
    /^attachment; filename="a+_"; filename\*=UTF-8''a+$/,
  )
})

test('attachmentHeaders: an invalid content type becomes application/octet-stream', () => {
  const type = (contentType: string, charset?: string) =>
    attachmentHeaders({ contentType, ...(charset === undefined ? {} : { charset }) })[
      'Content-Type'
    ]
  expect(type('Image/PNG')).toBe('image/png')
  expect(type('text/html', 'utf-8')).toBe('text/html; charset=utf-8')
  expect(type('text/plain', 'x"; y')).toBe('text/plain')
  expect(type('image/png', 'utf-8')).toBe('image/png')
  for (const wrong of ['', 'text', 'a/b/c', 'text/pl ain', 'text/x\r\ny: z', 'text/ö'])
    expect(type(wrong)).toBe('application/octet-stream')
})
