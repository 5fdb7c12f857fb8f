import { expect, test } from '@jest/globals'
import { identityOf, readIdToken } from './identity.ts'

const tokenWith = (claims: object) =>
  `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`

test('readIdToken: accepts only tokens with the client id as audience', () => {
  const claims = { sub: '1', email: 'a@x.example', name: 'A' }
  const read = { subject: '1', email: 'a@x.example', name: 'A' }
  expect(readIdToken(tokenWith({ ...claims, aud: 'client' }), 'client')).toEqual(read)
  expect(readIdToken(tokenWith({ ...claims, aud: ['x', 'client'] }), 'client')).toEqual(read)
  for (const token of [tokenWith({ ...claims, aud: 'other' }), tokenWith(claims), 'x', '', 7])
    expect(readIdToken(token, 'client')).toBeUndefined()
})

test.each([false, 'false', 'False', 0, '0'])(
  'identityOf: email_verified %j, unverified',
  (verified) => {
    expect(identityOf({ email: 'a@x.example', email_verified: verified })).toEqual({
      email: 'a@x.example',
      unverified: true,
    })
  },
)

test.each([true, 'true', undefined, null])(
  'identityOf: email_verified %j, not unverified',
  (verified) => {
    expect(identityOf({ email: 'a@x.example', email_verified: verified })).toEqual({
      email: 'a@x.example',
    })
  },
)

test('identityOf: Microsoft tenant, uses the login name; email only with xms_edov', () => {
  const claims = { tid: 'tenant', email: 'victim@other.example' }
  expect(identityOf(claims)).toEqual({})
  const named = { ...claims, preferred_username: 'me@tenant.example' }
  expect(identityOf(named)).toEqual({ email: 'me@tenant.example' })
  expect(identityOf({ ...claims, upn: 'me@tenant.example' })).toEqual({
    email: 'me@tenant.example',
  })
  expect(identityOf({ ...claims, upn: 'victim_other.example#EXT#@tenant.example' })).toEqual({})
  for (const owned of [true, 1, '1', 'true'])
    expect(identityOf({ ...named, xms_edov: owned })).toEqual({ email: 'victim@other.example' })
  for (const owned of [false, 0, '0', undefined])
    expect(identityOf({ ...named, xms_edov: owned })).toEqual({ email: 'me@tenant.example' })
})

test('identityOf: unverified, also if the address is from another claim', () => {
  const claims = { preferred_username: 'a@x.example', email_verified: false }
  expect(identityOf({ ...claims, email: 'not an address' })).toMatchObject({ unverified: true })
  expect(identityOf(claims)).toMatchObject({ unverified: true })
})
