import { expect, test } from '@jest/globals'
import { contentHead } from './content-head.ts'

const disposition = (filename?: string) =>
  contentHead({ contentType: 'image/png', ...(filename === undefined ? {} : { filename }) })[
    'Content-Disposition'
  ]

test('a name in ASCII is given as it is', () => {
  expect(disposition('report 2.pdf')).toBe('attachment; filename="report 2.pdf"')
  expect(disposition()).toBe('attachment')
  expect(disposition(' \u200b\r\n')).toBe('attachment')
})

test('any other name is given twice', () => {
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

test('a name can neither end the header nor leave the folder it is saved in', () => {
  expect(disposition('a"; x="\r\nSet-Cookie: b')).toBe(
    `attachment; filename="a_; x=_Set-Cookie: b"; filename*=UTF-8''a%22%3B%20x%3D%22Set-Cookie%3A%20b`,
  )
  expect(disposition('../../etc\\passwd')).toBe('attachment; filename=".._.._etc_passwd"')
  expect(disposition(`${'a'.repeat(254)}😀`)).toMatch(
    /^attachment; filename="a+_"; filename\*=UTF-8''a+$/,
  )
})

test('the type is that of the part, where it is one', () => {
  const type = (contentType: string, charset?: string) =>
    contentHead({ contentType, ...(charset === undefined ? {} : { charset }) })['Content-Type']
  expect(type('Image/PNG')).toBe('image/png')
  expect(type('text/html', 'utf-8')).toBe('text/html; charset=utf-8')
  expect(type('text/plain', 'x"; y')).toBe('text/plain')
  expect(type('image/png', 'utf-8')).toBe('image/png')
  for (const wrong of ['', 'text', 'a/b/c', 'text/pl ain', 'text/x\r\ny: z', 'text/ö'])
    expect(type(wrong)).toBe('application/octet-stream')
})
