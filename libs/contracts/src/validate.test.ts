import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { allOperations, operations } from './operations/index.ts'
import { AccountRegistration } from './schemas/account.ts'
import { Submission } from './schemas/submission.ts'
import { TokenRequest } from './schemas/token.ts'
import { SettingsUpdate } from './settings/settings.ts'
import { check } from './validate.ts'

/** CPU time of this process in milliseconds, which is independent of other processes. */
const cpuMs = () => process.cpuUsage().user / 1_000

function rejectedFields(schema: TSchema, value: unknown, kind: 'body' | 'text' = 'body') {
  try {
    check(schema, value, kind)
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return error.extras.fields ?? []
    throw error
  }
  return []
}
const paths = (schema: TSchema, value: unknown, kind?: 'body' | 'text') =>
  rejectedFields(schema, value, kind).map(({ path }) => path)

const account = { account: 'a', name: 'A' }
const imap = { host: 'imap.example.com', port: 993, auth: { user: 'u', pass: 'p' } }

test('check: in a union, reports the errors of the branch that was meant', () => {
  expect(
    rejectedFields(AccountRegistration, { ...account, imap: { ...imap, port: 70_000 } }),
  ).toEqual([{ message: '"imap.port" must be <= 65535', key: 'port', path: 'imap.port' }])
})

test.each(['imap', 'smtp'])('check: unknown member of %s.tls, rejected', (name) => {
  const server = { ...imap, tls: { minVersion: 'TLSv1.3', servername: 'other.example' } }
  const expected = [`${name}.tls.servername`]
  expect(paths(AccountRegistration, { ...account, [name]: server })).toEqual(expected)
  const valid = { ...imap, tls: { minVersion: 'TLSv1.3', rejectUnauthorized: true } }
  expect(paths(AccountRegistration, { ...account, [name]: valid })).toEqual([])
})

test('check: token with the group export, accepted', () => {
  const permissions = { actions: ['read'], groups: ['message', 'export'] }
  expect(paths(TokenRequest, { permissions })).toEqual([])
})

test('check: wraps single values of lists, also in nested objects', () => {
  const notify = { return: 'full', notify: 'success' }
  const input = { to: { address: 'a@b.example' }, envelope: { to: 'c@d.example' }, dsn: notify }
  expect(check(Submission, input)).toMatchObject({
    to: [{ address: 'a@b.example' }],
    envelope: { to: ['c@d.example'] },
    dsn: { notify: ['success'] },
  })
  expect(paths(Submission, { envelope: { from: 'invalid', to: {} }, dsn: 'full' }).sort()).toEqual([
    'dsn',
    'envelope.from',
    'envelope.to.0',
  ])
})

test('check: accepts dates of the format date-time', () => {
  const withDate = (notifyFrom: string) => paths(AccountRegistration, { ...account, notifyFrom })
  expect(['2026-01-02', '2026-01-02T03:04:05Z', 'now'].flatMap(withDate)).toEqual([])
  expect(withDate('2026-02-30')).toEqual(['notifyFrom'])
})

test('check: reports one error with the accepted values if no branch matches', () => {
  expect(rejectedFields(AccountRegistration, { ...account, imap: 'yes' })).toEqual([
    { message: '"imap" must be object or false', key: 'imap', path: 'imap' },
  ])
  expect(rejectedFields(AccountRegistration, { ...account, notifyFrom: 5 })).toEqual([
    {
      message: '"notifyFrom" must be string or "now" or null',
      key: 'notifyFrom',
      path: 'notifyFrom',
    },
  ])
})

test.each([
  ['an unknown field', AccountRegistration, { ...account, nope: 1 }, ['nope']],
  [
    'an unknown nested field',
    AccountRegistration,
    { ...account, imap: { ...imap, nope: 1 } },
    ['imap.nope'],
  ],
  ['missing fields', AccountRegistration, {}, ['account', 'name']],
  [
    'missing nested fields',
    AccountRegistration,
    { ...account, imap: {} },
    ['imap.host', 'imap.port'],
  ],
  [
    'a wrong type inside a union inside a union',
    AccountRegistration,
    { ...account, imap: { ...imap, auth: { user: 1 } } },
    ['imap.auth.user'],
  ],
  [
    'an address in a list',
    Submission,
    { to: [{ address: 'a@b.example' }, { address: 'nope' }] },
    ['to.1.address'],
  ],
  ['an address input alone', Submission, { to: { address: 'nope' } }, ['to.0.address']],
  ['a header name', Submission, { headers: { 'a b': 'x' } }, ['headers.a b']],
  [
    'a line break in a header',
    Submission,
    { headers: { subject: 'a\r\nBcc: x@y.example' } },
    ['headers.subject'],
  ],
  [
    'a line break in a name',
    Submission,
    { to: [{ name: 'a\nb', address: 'a@b.example' }] },
    ['to.0.name'],
  ],
  ['a scope that only operators give', TokenRequest, { scopes: ['*'] }, ['scopes.0']],
  [
    'an address range',
    TokenRequest,
    { restrictions: { addresses: ['10.0.0.0/33'] } },
    ['restrictions.addresses.0'],
  ],
  ['no setting at all', SettingsUpdate, {}, ['']],
  [
    'a setting of another type',
    SettingsUpdate,
    { webhookEvents: 'messageNew', notifyText: 'yes' },
    ['webhookEvents', 'notifyText'],
  ],
  ['no body', AccountRegistration, undefined, ['']],
])('check: reports the path of %s', (...[, schema, value, expected]) => {
  expect(paths(schema as TSchema, value).sort()).toEqual([...expected].sort())
})

test('check: converts text of path, query and headers to the types of the schema', () => {
  const { query } = operations.listMessages
  expect(check(query, { path: 'INBOX', page: '2' }, 'text')).toEqual({
    path: 'INBOX',
    page: 2,
    pageSize: 20,
  })
  expect(paths(query, { path: 'INBOX', page: 'two', pageSize: '5000' }, 'text')).toEqual([
    'page',
    'pageSize',
  ])
  expect(paths(query, { path: ['INBOX', 'Sent'] }, 'text')).toEqual(['path'])
  expect(paths(operations.createAccount.body, { ...account, logs: 'true' })).toEqual(['logs'])
})

const schemas = allOperations.flatMap(({ params, query, headers, body }) =>
  [params, query, headers, body].filter((schema) => schema !== undefined),
)

test('check: for any input, returns the value or throws an AppError with at most 50 fields', () => {
  const anything = fc.anything({
    withNullPrototype: true,
    withBigInt: true,
    withDate: true,
    maxDepth: 4,
  })
  // Objects with member names of the contract schemas, which reach deeper than arbitrary values.
  const namedMembers = fc.dictionary(
    fc.constantFrom(
      'account',
      'name',
      'imap',
      'smtp',
      'to',
      'headers',
      'auth',
      'scopes',
      'restrictions',
      'permissions',
      'webhooks',
      'sendAt',
      '__proto__',
    ),
    fc.oneof(
      anything,
      fc.dictionary(
        fc.constantFrom('host', 'port', 'auth', 'address', 'name', 'addresses'),
        anything,
      ),
    ),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...schemas),
      fc.oneof(anything, namedMembers),
      fc.constantFrom('body' as const, 'text' as const),
      (schema, value, kind) => {
        const fields = rejectedFields(schema, value, kind)
        expect(fields.length).toBeLessThanOrEqual(50)
        expect(fields.every(({ message, path, key }) => message !== '' && path.endsWith(key))).toBe(
          true,
        )
      },
    ),
    { numRuns: 2_000 },
  )
})

test.each([
  ['a million wrong items', () => ({ to: Array.from({ length: 1_000_000 }, () => 0) })],
  [
    'a million unknown names',
    () => Object.fromEntries(Array.from({ length: 1_000_000 }, (_, n) => [`x${n}`, 0])),
  ],
  [
    '20 MB that are nearly base64',
    () => ({ attachments: [{ content: `${' '.repeat(20_000_000)}!` }] }),
  ],
  ['20 MB of @ as a Message-ID', () => ({ messageId: `${'@'.repeat(20_000_000)} ` })],
  ['20 MB of a quoted local part', () => ({ to: [{ address: `"${'\\a'.repeat(10_000_000)}` }] })],
  ['20 MB of labels', () => ({ to: [{ address: `a@${'a-'.repeat(10_000_000)}` }] })],
  ['a name of 20 MB', () => ({ ['x'.repeat(20_000_000)]: 1 })],
])('check: rejects %s in linear time with a short error', (_name, make) => {
  const value = make()
  const started = cpuMs()
  const fields = rejectedFields(Submission, value)
  expect(cpuMs() - started).toBeLessThan(15_000)
  expect(fields.length).toBeGreaterThan(0)
  expect(JSON.stringify(fields).length).toBeLessThan(10_000)
})
