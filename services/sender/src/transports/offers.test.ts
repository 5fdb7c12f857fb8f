import { expect, test } from '@jest/globals'
import { parseOffers } from './offers.ts'

test('keywords and mechanisms, in whatever spelling', () => {
  const { extensions, mechanisms, maxBytes } = parseOffers([
    'SIZE 1000',
    'Pipelining',
    'AUTH PLAIN XOAUTH2',
    'AUTH=LOGIN oauthbearer',
    'dsn',
  ])
  expect([...extensions]).toEqual(['SIZE', 'PIPELINING', 'AUTH', 'DSN'])
  expect(mechanisms).toEqual(['PLAIN', 'XOAUTH2', 'LOGIN', 'OAUTHBEARER'])
  expect(maxBytes).toBe(1000)
})

test.each(['SIZE', 'SIZE 0', 'SIZE x', 'SIZE -1', `SIZE ${'9'.repeat(40)}`])(
  'no bound: %s',
  (line) => {
    expect(parseOffers([line])).not.toHaveProperty('maxBytes')
  },
)

test('a server that offers nothing', () => {
  expect(parseOffers([])).toEqual({ extensions: new Set(), mechanisms: [] })
})
