import { expect, test } from '@jest/globals'
import { defined } from '@posthorn/contracts/defined'
import { identify, identityOf, isValidFor, parseIdToken } from './identity.ts'
import { profileOf } from './profile.ts'

const tokenWith = (claims: object) =>
  `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`

const now = Date.UTC(2030, 0, 1)
const inSeconds = (seconds: number) => now / 1_000 + seconds
const expected = { clientId: 'client', issuers: ['https://id.example'], now }
const valid = { iss: 'https://id.example', aud: 'client', exp: inSeconds(60), sub: '1' }

test.each([
  ['audience', { aud: ['x', 'client'] }],
  ['issuer with a slash', { iss: 'https://id.example/' }],
  ['expiry within the clock tolerance', { exp: inSeconds(-299) }],
])('isValidFor: other form of %s, valid', (_what, claims) => {
  expect(isValidFor(expected, { ...valid, ...claims })).toBe(true)
})

test.each([
  ['for another client', { aud: 'other' }],
  ['for other clients', { aud: ['x', 'y'] }],
  ['without audience', { aud: undefined }],
  ['of another issuer', { iss: 'https://evil.example' }],
  ['without issuer', { iss: undefined }],
  ['that is expired', { exp: inSeconds(-301) }],
  ['without expiry', { exp: undefined }],
  ['with an expiry in text', { exp: String(inSeconds(60)) }],
])('isValidFor: token %s, invalid', (_what, claims) => {
  expect(isValidFor(expected, { ...valid, ...claims })).toBe(false)
})

test('isValidFor: issuer of a tenant, must be the one of the claim tid', () => {
  const tid = '11111111-2222-3333-4444-555555555555'
  const { issuers } = profileOf('outlook', { authority: 'common' })
  const of = (tenant: string) => ({
    ...valid,
    tid,
    iss: `https://login.microsoftonline.com/${tenant}/v2.0`,
  })
  expect(isValidFor({ ...expected, issuers }, of(tid))).toBe(true)
  expect(isValidFor({ ...expected, issuers }, of('other'))).toBe(false)
  const single = profileOf('outlook', { authority: tid }).issuers
  expect(isValidFor({ ...expected, issuers: single }, of(tid))).toBe(true)
  expect(isValidFor({ ...expected, issuers: single }, { ...of('other'), tid: 'other' })).toBe(false)
})

test('parseIdToken: returns the claims, undefined for anything else', () => {
  expect(parseIdToken(tokenWith(valid))).toEqual(valid)
  for (const token of ['x', '', 7, undefined]) expect(parseIdToken(token)).toBeUndefined()
})

/** Identifies the user of an application whose userinfo endpoint returns `userinfo`. */
function identifyBy(userinfo: object, claims?: object, userinfoUrl = 'https://id.example/me') {
  const config = { clientId: 'client', tokenUrl: 'https://id.example/token', userinfoUrl }
  const app = { id: 'a', provider: 'generic', clientId: 'client', config } as const
  const body = Buffer.from(JSON.stringify(userinfo))
  const call = () =>
    Promise.resolve({ outcome: 'response', status: 200, body, headers: {} } as never)
  const profile = { ...profileOf('generic', config), issuers: expected.issuers }
  const idToken = claims === undefined ? undefined : tokenWith(claims)
  return identify(
    { http: { call }, now: () => now },
    { ...app, profile },
    { accessToken: 'at', ...defined({ idToken }) },
  )
}

test('identify: id token of another issuer, is not used', async () => {
  const userinfo = { sub: '2', email: 'me@x.example' }
  const forged = { ...valid, iss: 'https://evil.example', email: 'victim@x.example' }
  expect(await identifyBy(userinfo, forged)).toEqual({ subject: '2', email: 'me@x.example' })
  expect(await identifyBy(userinfo, { ...valid, sub: '2', email: 'token@x.example' })).toEqual({
    subject: '2',
    email: 'token@x.example',
  })
})

test('identify: userinfo of a Microsoft tenant, does not verify the address', async () => {
  const userinfo = { sub: '1', email: 'victim@other.example', email_verified: true }
  const unverified = { email: 'victim@other.example', unverified: true }
  expect(await identifyBy(userinfo, { ...valid, tid: 'tenant' })).toMatchObject(unverified)
  const graph = 'https://graph.microsoft.com/oidc/userinfo'
  expect(await identifyBy(userinfo, undefined, graph)).toMatchObject(unverified)
  expect(await identifyBy(userinfo, valid)).not.toHaveProperty('unverified')
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
