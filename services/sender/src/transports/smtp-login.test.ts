import { expect, test } from '@jest/globals'
import { initialResponse, tokenMechanism } from './smtp-login.ts'

const login = { user: 'me=x,y@b.c', accessToken: 'tok', host: 'mail.b.c', port: 587 }
const read = (words: string) => Buffer.from(words, 'base64').toString().replaceAll('\x01', '^A')

test.each([
  [['PLAIN', 'XOAUTH2', 'OAUTHBEARER'], 'XOAUTH2'],
  [['PLAIN', 'OAUTHBEARER'], 'OAUTHBEARER'],
  [['XOAUTH2'], 'XOAUTH2'],
  [[], 'XOAUTH2'],
])('%j: %s', (mechanisms, wanted) => {
  expect(tokenMechanism({ extensions: new Set(), mechanisms })).toBe(wanted)
})

test('what the client says first', () => {
  expect(read(initialResponse('XOAUTH2', login))).toBe('user=me=x,y@b.c^Aauth=Bearer tok^A^A')
  expect(read(initialResponse('OAUTHBEARER', login))).toBe(
    'n,a=me=3Dx=2Cy@b.c,^Ahost=mail.b.c^Aport=587^Aauth=Bearer tok^A^A',
  )
})
