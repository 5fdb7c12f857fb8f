import { expect, test } from '@jest/globals'
import { mayDo, type PageAction } from './rights.ts'

const changes = [
  'changeAccounts',
  'cancelSubmissions',
  'changeSettings',
  'changeTokens',
  'releaseWorkers',
  'tryRoutes',
] as const
const reads = ['readSettings', 'readWorkers', 'readKeys'] as const
const actions: readonly PageAction[] = [
  ...changes,
  ...reads,
  'operateAccounts',
  'operateQueues',
  'managePeople',
  'readAudit',
]

test.each([
  ['owner', []],
  ['operator', ['managePeople', 'readAudit']],
  ['auditor', [...changes, 'operateAccounts', 'operateQueues', 'managePeople']],
  ['support', [...changes, ...reads, 'managePeople', 'readAudit']],
] as const)('mayDo: the role %s may not %j', (role, expected) => {
  const refused = actions.filter((action) => !mayDo(role, action))
  expect(refused.toSorted()).toEqual([...expected].toSorted())
})
