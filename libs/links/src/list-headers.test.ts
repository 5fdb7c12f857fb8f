import { expect, test } from '@jest/globals'
import { LinkKey } from './link-key.ts'
import { listHeaders } from './list-headers.ts'
import { readLink } from './signed-link.ts'

const key = new LinkKey(Buffer.alloc(32, 1))
const mail = {
  baseUrl: 'https://mail.example',
  key,
  account: 'acc',
  listId: 'News',
  recipient: 'Ann@Example.com',
  messageId: '<1@mail.example>',
}

function readUrl(url: string) {
  const { searchParams } = new URL(url)
  const parts = { data: searchParams.get('data') ?? '', sig: searchParams.get('sig') ?? '' }
  return readLink([key], 'unsub', parts)?.link
}

test('listHeaders: returns the three headers and the unsubscribe URL', () => {
  const { headers, unsubscribeUrl } = listHeaders(mail)
  expect(headers).toEqual({
    'List-ID': '<news.mail.example>',
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  expect(readUrl(unsubscribeUrl)).toEqual({
    act: 'unsub',
    acc: 'acc',
    list: 'news',
    rcpt: 'Ann@Example.com',
    msg: '<1@mail.example>',
  })
})

test('listHeaders: headers, contain neither address nor account in plaintext', () => {
  const { headers } = listHeaders(mail)
  const url = new URL(headers['List-Unsubscribe'].slice(1, -1))
  const decoded = [...url.searchParams.values()].map((value) =>
    Buffer.from(value, 'base64url').toString('latin1'),
  )
  expect(url.href).not.toMatch(/Ann(@|%40)Example/)
  for (const text of decoded) expect(text).not.toMatch(/Ann@|example|rcpt|news/i)
})

test('listHeaders: without a key, the link is a placeholder', () => {
  const { headers, unsubscribeUrl } = listHeaders({ ...mail, key: undefined })
  expect(unsubscribeUrl).toBe('https://mail.example/unsubscribe?data=dry-run&sig=dry-run')
  expect(headers['List-Unsubscribe']).toBe(`<${unsubscribeUrl}>`)
  expect(readUrl(unsubscribeUrl)).toBeUndefined()
})

test.each(['http://127.0.0.1:3000', 'http://[::1]:3000'])(
  'listHeaders: base URL %s has the namespace localhost',
  (baseUrl) => {
    expect(listHeaders({ ...mail, baseUrl }).headers['List-ID']).toBe('<news.localhost>')
  },
)

test.each(['a\r\nBcc: b', 'a b', '<a>', '', '.', 'a..b', '-a', 'a_b', 'ä', `${'a.'.repeat(150)}a`])(
  'listHeaders: list id %j, is rejected',
  (listId) => {
    expect(() => listHeaders({ ...mail, listId })).toThrow('list id')
  },
)

test('listHeaders: leaves an overlong Message-ID out of the header link only', () => {
  const { headers } = listHeaders({ ...mail, messageId: `<${'x'.repeat(900)}@mail.example>` })
  const url = headers['List-Unsubscribe'].slice(1, -1)
  expect(url.length).toBeLessThan(900)
  expect(readUrl(url)).toEqual({ act: 'unsub', acc: 'acc', list: 'news', rcpt: 'Ann@Example.com' })
})

test('listHeaders: an overlong header link can be folded', () => {
  const { headers } = listHeaders({ ...mail, account: 'ä'.repeat(250), listId: 'a'.repeat(253) })
  const parts = headers['List-Unsubscribe'].split(' ')
  expect(parts.every((part) => part.length < 950)).toBe(true)
  expect(readUrl(parts.join('').slice(1, -1))).toMatchObject({ rcpt: 'Ann@Example.com' })
})

test('listHeaders: recipient and Message-ID are encoded in headers', () => {
  const evil = 'a@b>\r\nBcc: all@example.com'
  const { headers } = listHeaders({ ...mail, recipient: evil, messageId: evil, account: evil })
  for (const value of Object.values(headers)) expect(value).toMatch(/^[\x21-\x7e]+$/)
})
