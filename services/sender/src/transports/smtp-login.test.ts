import { expect, test } from '@jest/globals'
import { initialResponse, tokenMechanism } from './smtp-login.ts'

const login = { user: 'me=x,y@b.c', accessToken: 'tok', host: 'mail.b.c', port: 587 }
const decode = (response: string) =>
  Buffer.from(response, 'base64').toString().replaceAll('\x01', '^A')

test.each([
  [['PLAIN', 'XOAUTH2', 'OAUTHBEARER'], 'XOAUTH2'],
  [['PLAIN', 'OAUTHBEARER'], 'OAUTHBEARER'],
  [['XOAUTH2'], 'XOAUTH2'],
  [[], 'XOAUTH2'],
])('tokenMechanism: offers %j, returns %s', (mechanisms, mechanism) => {
  expect(tokenMechanism({ extensions: new Set(), mechanisms })).toBe(mechanism)
})

test('initialResponse: XOAUTH2 and OAUTHBEARER, encodes user and token', () => {
  expect(decode(initialResponse('XOAUTH2', login))).toBe('user=me=x,y@b.c^Aauth=Bearer tok^A^A')
  expect(decode(initialResponse('OAUTHBEARER', login))).toBe(
    'n,a=me=3Dx=2Cy@b.c,^Ahost=mail.b.c^Aport=587^Aauth=Bearer tok^A^A',
  )
})
