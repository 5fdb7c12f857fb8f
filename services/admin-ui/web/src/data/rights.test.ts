import { expect, test } from '@jest/globals'
import { mayDo, type PageAction } from './rights.ts'

const actions: readonly PageAction[] = [
  'changeAccounts',
  'operateAccounts',
  'operateQueues',
  'cancelSubmissions',
  'readSettings',
  'changeSettings',
  'changeTokens',
  'managePeople',
  'readAudit',
]

test.each([
  ['owner', actions],
  ['operator', actions.slice(0, 7)],
  ['support', ['operateAccounts', 'operateQueues']],
  ['auditor', ['readSettings', 'readAudit']],
] as const)('mayDo: actions of the role %s', (role, expected) => {
  expect(actions.filter((action) => mayDo(role, action))).toEqual(expected)
})
