import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import {
  AccountId,
  IsoDate,
  Nullable,
  OneOf,
  Strict,
  timeoutHeader,
} from '../schemas/primitives.ts'

const params = Strict({ account: AccountId })
const flag = (name: string) =>
  Type.Optional(
    Type.Boolean({ default: false, description: `Must be ${name}; otherwise nothing is done.` }),
  )

export const reconnectAccount = defineOperation({
  id: 'reconnectAccount',
  method: 'put',
  path: '/v1/account/:account/reconnect',
  tag: 'Account',
  summary: 'Reconnect an account',
  description:
    'Closes and reopens the connections of the account. Also resumes syncing that was switched off after repeated authentication failures.',
  scope: 'api',
  permission: { action: 'write', group: 'account' },
  params,
  body: Strict({ reconnect: flag('true') }),
  response: Type.Object({ reconnect: Type.Boolean() }),
})

export const syncAccount = defineOperation({
  id: 'syncAccount',
  method: 'put',
  path: '/v1/account/:account/sync',
  tag: 'Account',
  summary: 'Sync all mailboxes of an account',
  description: 'Responds when the sync has started.',
  scope: 'api',
  permission: { action: 'write', group: 'account' },
  params,
  headers: Type.Object(timeoutHeader),
  body: Strict({ sync: flag('true') }),
  response: Type.Object({ sync: Type.Boolean() }),
  errors: [
    'NotYetConnected',
    'AuthenticationFails',
    'ConnectionError',
    'NotSyncing',
    'NoAvailable',
    'WorkerNotAvailable',
    'Timeout',
  ],
})

export const flushAccount = defineOperation({
  id: 'flushAccount',
  method: 'put',
  path: '/v1/account/:account/flush',
  tag: 'Account',
  summary: 'Rebuild the mailbox index of an account',
  description:
    'Deletes and rebuilds the index. Message ids remain valid. The only events are `messageNew` for messages that arrived since `notifyFrom`.',
  scope: 'api',
  permission: { action: 'destructive', group: 'account' },
  params,
  body: Strict({
    flush: flag('true'),
    notifyFrom: Type.Optional(Nullable(Type.Union([IsoDate, Type.Literal('now')]))),
    imapIndexer: Type.Optional(Nullable(OneOf(['full', 'fast']))),
  }),
  response: Type.Object({ flush: Type.Boolean() }),
})

export const getServerSignatures = defineOperation({
  id: 'getServerSignatures',
  method: 'get',
  path: '/v1/account/:account/server-signatures',
  tag: 'Account',
  summary: 'List signatures stored by the provider',
  description: 'IMAP servers store none.',
  scope: 'api',
  permission: { action: 'read', group: 'account' },
  params,
  response: Type.Object({
    signatures: Type.Array(Type.Object({ address: Type.String(), signature: Type.String() })),
    signaturesSupported: Type.Boolean(),
  }),
})
