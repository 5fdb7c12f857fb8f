import { describe, expect, test } from '@jest/globals'
import { mapToken } from './token.ts'

const id = 'ab'.repeat(32)
const map = (record: object) => mapToken(id, { scopes: ['api'], ...record })

describe('mapToken: limits', () => {
  test.each([
    ['an unknown restriction', { restrictions: { countries: ['EE'] } }],
    ['an invalid address', { restrictions: { addresses: ['10.0.0.0/8', 'x'] } }],
    ['restrictions as text', { restrictions: 'none' }],
    ['an unknown action', { permissions: { actions: ['read', 'admin'] } }],
    ['no actions', { permissions: { actions: [] } }],
    ['an invalid expiry', { expires: 'soon' }],
    ['an account that is no text', { account: ['a'] }],
    ['a permission of another type', { permissions: true }],
  ])('with %s, the token is skipped, because it would become valid for more', (_name, record) => {
    expect(map(record)).toMatchObject({ kind: 'token', id, skipped: expect.anything() })
  })

  test('null means no limit', () => {
    const entry = map({ restrictions: null, permissions: null, account: null, expires: null })
    expect(entry.skipped ?? entry.input.reveal()).toEqual({ id, scopes: ['api'] })
  })

  test('an expired token is skipped', () => {
    expect(map({ expires: '2020-01-01T00:00:00Z' })).toMatchObject({
      skipped: 'the token has expired',
    })
    expect(map({ expires: '2999-01-01T00:00:00Z' })).toMatchObject({ omitted: [] })
  })
})

describe('mapToken: members', () => {
  test.each([
    [['*', '*'], ['*'], []],
    [['api', 'metrics', 'mcp'], ['api'], ['scopes: metrics, mcp']],
    ['smtp', ['smtp'], []],
    ['["imap-proxy"]', ['imap-proxy'], []],
  ])('with the scopes %j', (scopes, kept, omitted) => {
    const entry = map({ scopes })
    expect(entry.skipped ?? entry.input.reveal()).toEqual({ id, scopes: kept })
    expect(entry).toMatchObject({ omitted })
  })

  test.each([[['mcp']], [[]], [undefined]])('with the scopes %j, is skipped', (scopes) => {
    expect(map({ scopes })).toMatchObject({ skipped: expect.stringMatching(/^no scope has/) })
  })

  test('with an id that is no SHA-256 hash, is skipped', () => {
    expect(mapToken('x', { scopes: ['api'] })).toMatchObject({ skipped: expect.anything() })
  })

  test('other invalid members are left out', () => {
    expect(map({ description: 'x'.repeat(1_025), ip: 'x'.repeat(65) })).toMatchObject({
      omitted: [expect.stringMatching(/^"description"/), expect.stringMatching(/^"ip"/)],
    })
  })
})
