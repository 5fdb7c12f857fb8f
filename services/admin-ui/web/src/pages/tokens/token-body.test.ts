import { expect, test } from '@jest/globals'
import { listTokenOperations } from '@posthorn/contracts/admin/token-operations'
import { TokenRequest } from '@posthorn/contracts/schemas/token'
import { matches } from '@posthorn/contracts/validate'
import { operatorTokenBody, permissionsOf, tokenBody } from './token-body.ts'
import { gridCells } from './token-grid.ts'

const cells = gridCells(listTokenOperations())

test('tokenBody: rights, account, all restrictions and expiry', () => {
  const values = {
    description: 'CRM',
    account: 'anna',
    addresses: '192.0.2.1, 10.0.0.0/8',
    referrers: 'https://crm.example/*\n\n *.example ',
    maxRequests: '100',
    timeWindow: '60',
    expires: '2027-01-01T00:00Z',
  }
  const permissions = permissionsOf({ use: 'api', chosen: new Set(['submit:send']) }, cells)
  const body = tokenBody(values, { use: 'api', permissions })
  expect(body).toEqual({
    scopes: ['api'],
    description: 'CRM',
    account: 'anna',
    permissions: { actions: ['send'], groups: ['submit'] },
    restrictions: {
      addresses: ['192.0.2.1', '10.0.0.0/8'],
      referrers: ['https://crm.example/*', '*.example'],
      rateLimit: { maxRequests: 100, timeWindow: 60 },
    },
    expires: '2027-01-01T00:00:00.000Z',
  })
  expect(matches(TokenRequest, body)).toBe(true)
})

test('tokenBody: empty fields are left out', () => {
  const values = { description: '', account: '', addresses: ' ', referrers: '\n', maxRequests: '' }
  const body = tokenBody(values, { use: 'smtp,imap-proxy', permissions: null })
  expect(body).toEqual({ scopes: ['smtp', 'imap-proxy'] })
  expect(matches(TokenRequest, body)).toBe(true)
})

test.each([{ maxRequests: '5' }, { timeWindow: '60' }])(
  'tokenBody: refuses the incomplete rate limit %j',
  (values) => {
    expect(() => tokenBody(values, { use: 'api', permissions: null })).toThrow(
      'A rate limit needs a number of requests and a time window.',
    )
  },
)

test('permissionsOf: everything, and tokens for mail proxies only, have no record', () => {
  expect(permissionsOf({ use: 'api', chosen: 'everything' }, cells)).toBeNull()
  expect(permissionsOf({ use: 'smtp', chosen: new Set(['message:read']) }, cells)).toBeNull()
})

test('permissionsOf: refuses an empty choice, and a choice that no record can express', () => {
  expect(() => permissionsOf({ use: 'api', chosen: new Set() }, cells)).toThrow(
    'Choose at least one right of the token.',
  )
  const chosen = new Set(['message:read', 'outbox:write'])
  expect(() => permissionsOf({ use: 'api', chosen }, cells)).toThrow(
    'The token would also permit rights that are not chosen.',
  )
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
