import { expect, test } from '@jest/globals'
import { operatorTokenBody, tokenBody } from './token-body.ts'

test('tokenBody: preset, account and expiry', () => {
  const values = {
    description: 'CRM',
    account: 'anna',
    preset: 'send',
    scope: 'api',
    expires: '2027-01-01T00:00Z',
  }
  expect(tokenBody(values)).toEqual({
    scopes: ['api'],
    description: 'CRM',
    account: 'anna',
    permissions: { actions: ['send'], groups: ['submit'] },
    expires: '2027-01-01T00:00:00.000Z',
  })
})

test('tokenBody: unlimited tokens and tokens of mail clients have no permissions', () => {
  expect(tokenBody({ preset: 'all', scope: 'api' })).toEqual({ scopes: ['api'] })
  expect(tokenBody({ preset: 'read', scope: 'smtp', account: 'a' })).toEqual({
    scopes: ['smtp'],
    account: 'a',
  })
})

test('operatorTokenBody: splits addresses, leaves out empty values', () => {
  const values = { description: 'Script', addresses: '192.0.2.1, 10.0.0.0/8', expires: '' }
  expect(operatorTokenBody(values)).toEqual({
    description: 'Script',
    restrictions: { addresses: ['192.0.2.1', '10.0.0.0/8'] },
  })
  expect(
    operatorTokenBody({ description: 'S', addresses: ' ', expires: '2027-01-01T00:00Z' }),
  ).toEqual({
    description: 'S',
    expires: '2027-01-01T00:00:00.000Z',
  })
})
