import { expect, test } from '@jest/globals'
import { maxFileAddresses, readBlockedFile, writeBlockedFile } from './blocked-file.ts'

test('readBlockedFile: addresses without titles, each once', () => {
  const text = 'ben@example.com\nBEN@example.com\nno address\nann@example.com,x\n'
  expect(readBlockedFile(text, 'news')).toEqual({
    blocks: [
      { account: 'news', recipient: 'ben@example.com', reason: 'block' },
      { account: 'news', recipient: 'ann@example.com', reason: 'block' },
    ],
    wrong: ['no address'],
  })
})

test('readBlockedFile: columns by their titles', () => {
  const text = 'Reason;Account;Email\nbounced;crm;ben@example.com\n;;ann@example.com\n'
  expect(readBlockedFile(text, 'news').blocks).toEqual([
    { account: 'crm', recipient: 'ben@example.com', reason: 'bounced' },
    { account: 'news', recipient: 'ann@example.com', reason: 'block' },
  ])
})

test('readBlockedFile: reads what writeBlockedFile writes, also addresses like formulas', () => {
  const created = '2026-11-01T00:00:00.000Z'
  const entries = ['=cmd@example.com', '+tag@example.com'].map((recipient) => ({
    recipient,
    account: 'news',
    source: 'api',
    reason: '=1+1',
    created,
  }))
  const text = writeBlockedFile(entries)
  expect(text.split(/[,\r\n]/).filter((cell) => /^"?[=+]/.test(cell))).toEqual([])
  expect(readBlockedFile(text, '').blocks).toEqual(
    entries.map(({ recipient, account, reason }) => ({ recipient, account, reason })),
  )
})

test('readBlockedFile: refuses too many addresses', () => {
  const text = Array.from({ length: maxFileAddresses + 1 }, (_, n) => `a${n}@example.com`)
  expect(() => readBlockedFile(text.join('\n'), 'news')).toThrow('5,001 addresses')
})

test('readBlockedFile: a wrong line is shortened, and no line is an empty file', () => {
  expect(readBlockedFile('x'.repeat(1000), 'news').wrong).toEqual(['x'.repeat(320)])
  expect(readBlockedFile('', 'news')).toEqual({ blocks: [], wrong: [] })
})
