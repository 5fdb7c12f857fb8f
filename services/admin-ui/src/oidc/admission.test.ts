import { expect, test } from '@jest/globals'
import { isAdmitted, readClaims, roleOf } from './admission.ts'

const rules = { users: ['ann@a.example', 'b.example'], groups: ['mail'], roles: new Map() }

test.each([
  ['ann@a.example', [], true],
  ['bob@a.example', [], false],
  ['bob@b.example', [], true],
  ['bob@evil-b.example', [], false],
  ['b.example@c.example', [], false],
  ['"x@b.example"@c.example', [], false],
  [undefined, [], false],
  [undefined, ['mail'], true],
  [undefined, ['Mail', 'mail2'], false],
])('isAdmitted: %s with groups %j, %s', (email, groups, expected) => {
  expect(isAdmitted({ email, groups }, rules, true)).toBe(expected)
})

test.each([true, false])('isAdmitted: without rules, known people only (%s)', (isKnown) => {
  const none = { users: [], groups: [], roles: new Map() }
  expect(isAdmitted({ email: 'a@b.example', groups: ['x'] }, none, isKnown)).toBe(isKnown)
})

test('roleOf: the highest role wins, in any order of groups', () => {
  const roles = new Map([
    ['read', 'auditor'],
    ['help', 'support'],
    ['ops', 'operator'],
  ] as const)
  expect(roleOf(['read', 'ops', 'help'], { roles })).toBe('operator')
  expect(roleOf(['help', 'read'], { roles }, 'owner')).toBe('support')
  expect(roleOf(['other'], { roles }, 'owner')).toBe('auditor')
  expect(roleOf([], { roles: new Map() }, 'owner')).toBe('owner')
  expect(roleOf([], { roles: new Map() })).toBe('auditor')
})

test.each([
  [{ email: 'A@B.example', email_verified: true }, 'a@b.example'],
  [{ email: 'a@b.example', email_verified: false }, undefined],
  [{ email: 'a@b.example', email_verified: 'true' }, undefined],
  [{ email: 'a@b.example' }, undefined],
  [{ email: ['a@b.example'], email_verified: true }, undefined],
])('readClaims: %j, email address %s', (claims, email) => {
  const config = { issuer: 'https://id.example', groupsClaim: 'groups' }
  expect(readClaims({ sub: 's', groups: ['a', 1, 'b'], ...claims }, config)).toEqual({
    subject: 'https://id.example s',
    email,
    name: undefined,
    groups: ['a', 'b'],
  })
})
