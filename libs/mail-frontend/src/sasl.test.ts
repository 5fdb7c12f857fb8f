import { expect, test } from '@jest/globals'
import { bearerError, decodeResponse, mechanisms } from './sasl.ts'

const read = (mechanism: string, message: string) => mechanisms.get(mechanism)?.(message)

test.each([
  ['PLAIN', '\0acc\0tok'],
  ['PLAIN', 'acc\0acc\0tok'],
  ['XOAUTH2', 'user=acc\x01auth=Bearer tok\x01\x01'],
  ['XOAUTH2', 'user=acc\x01AUTH=bearer  tok\x01\x01'],
  ['OAUTHBEARER', 'n,a=acc,\x01auth=Bearer tok\x01\x01'],
  ['OAUTHBEARER', 'y,a=acc,\x01host=h\x01port=993\x01auth=Bearer tok\x01\x01'],
])('SASL %s: parses %j', (mechanism, message) => {
  expect(read(mechanism, message)).toEqual({ account: 'acc', secret: 'tok' })
})

test('OAUTHBEARER: escaped separators in the user name', () => {
  const message = 'n,a=a=3Db=2Cc,\x01auth=Bearer tok\x01\x01'
  expect(read('OAUTHBEARER', message)).toEqual({ account: 'a=b,c', secret: 'tok' })
})

test('PLAIN: foreign authorization id, returns an empty secret', () => {
  expect(read('PLAIN', 'other\0acc\0tok')).toEqual({ account: 'acc', secret: '' })
})

test.each([
  ['PLAIN', 'acc\0tok'],
  ['PLAIN', '\0acc\0tok\0more'],
  ['XOAUTH2', 'user=acc\x01auth=Bearer tok'],
  ['XOAUTH2', 'user=acc\x01auth=Basic tok\x01\x01'],
  ['XOAUTH2', 'user=acc\x01auth=Bearer to k\x01\x01'],
  ['OAUTHBEARER', 'n,,\x01auth=Bearer tok\x01\x01'],
  ['OAUTHBEARER', 'p=tls-unique,a=acc,\x01auth=Bearer tok\x01\x01'],
  ['OAUTHBEARER', '\x01'],
])('SASL %s: rejects %j', (mechanism, message) => {
  expect(read(mechanism, message)).toBeUndefined()
})

test('decodeResponse: base64, empty response and invalid text', () => {
  expect(['AGE=', '=', '', '%%%', 'AGE', 'A===='].map(decodeResponse)).toEqual([
    '\0a',
    '',
    '',
    '',
    '',
    '',
  ])
})

test('bearerError: names the status of the mechanism', () => {
  const decode = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64').toString())
  expect(decode(bearerError('OAUTHBEARER'))).toEqual({ status: 'invalid_token', schemes: 'bearer' })
  expect(decode(bearerError('XOAUTH2'))).toEqual({ status: '401', schemes: 'bearer' })
})
