import { expect, test } from '@jest/globals'
import { identityOf, readIdToken } from './identity.ts'

const tokenWith = (claims: object) =>
  `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`

test('an id token that was made for us is read, and no other', () => {
  const claims = { sub: '1', email: 'a@x.example', name: 'A' }
  const read = { subject: '1', email: 'a@x.example', name: 'A' }
  expect(readIdToken(tokenWith({ ...claims, aud: 'us' }), 'us')).toEqual(read)
  expect(readIdToken(tokenWith({ ...claims, aud: ['x', 'us'] }), 'us')).toEqual(read)
  for (const token of [tokenWith({ ...claims, aud: 'them' }), tokenWith(claims), 'x', '', 7])
    expect(readIdToken(token, 'us')).toBeUndefined()
})

test.each([false, 'false', 'False', 0, '0'])('email_verified: %j is a no', (verified) => {
  expect(identityOf({ email: 'a@x.example', email_verified: verified })).toEqual({
    email: 'a@x.example',
    unverified: true,
  })
})

test.each([true, 'true', undefined, null])('email_verified: %j is none', (verified) => {
  expect(identityOf({ email: 'a@x.example', email_verified: verified })).toEqual({
    email: 'a@x.example',
  })
})

test('of a tenant of Microsoft the login name is believed; the address only where its domain is owned', () => {
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

test('another claim in place of an unverified address is no better', () => {
  const claims = { preferred_username: 'a@x.example', email_verified: false }
  expect(identityOf({ ...claims, email: 'not an address' })).toMatchObject({ unverified: true })
  expect(identityOf(claims)).toMatchObject({ unverified: true })
})
