import { expect, test } from '@jest/globals'
import { mayDo, type PageAction } from './rights.ts'

const changes = [
  'changeAccounts',
  'cancelSubmissions',
  'changeSettings',
  'changeTokens',
  'changeRoutes',
  'changeTemplates',
  'testTargets',
  'releaseWorkers',
  'tryRoutes',
  'changeOAuth2Apps',
  'changeGateways',
  'changeBlocklists',
  'changeExports',
  'changeQueues',
  'changeMessages',
  'changeMailboxes',
] as const
const reads = [
  'readSettings',
  'readWorkers',
  'readKeys',
  'readOAuth2Apps',
  'readGateways',
  'readBlocklists',
  'readExports',
  'readQueues',
  'readRoutes',
  'readTemplates',
] as const
const actions: readonly PageAction[] = [
  ...changes,
  ...reads,
  'operateAccounts',
  'operateQueues',
  'createOperatorTokens',
  'managePeople',
  'readAudit',
  'changeMailProxies',
]

test.each([
  ['owner', []],
  ['operator', ['createOperatorTokens', 'managePeople', 'readAudit', 'changeMailProxies']],
  [
    'auditor',
    [
      ...changes,
      'operateAccounts',
      'operateQueues',
      'createOperatorTokens',
      'managePeople',
      'changeMailProxies',
    ],
  ],
  [
    'support',
    [
      ...changes,
      ...reads,
      'createOperatorTokens',
      'managePeople',
      'readAudit',
      'changeMailProxies',
    ],
  ],
] as const)('mayDo: the role %s may not %j', (role, expected) => {
  const refused = actions.filter((action) => !mayDo(role, action))
  expect(refused.toSorted()).toEqual([...expected].toSorted())
})
