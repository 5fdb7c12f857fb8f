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
  Type.Optional(Type.Boolean({ default: false, description: `Nothing is done unless ${name}` }))

/** Drops the account's connections and makes them anew; lifts what the authentication-failure safety net has switched off. */
export const reconnectAccount = defineOperation({
  id: 'reconnectAccount',
  method: 'put',
  path: '/v1/account/:account/reconnect',
  tag: 'Account',
  summary: 'Connect an account anew',
  scope: 'api',
  permission: { action: 'write', group: 'account' },
  params,
  body: Strict({ reconnect: flag('true') }),
  response: Type.Object({ reconnect: Type.Boolean() }),
})

/** Has all folders looked at now. Answers when that has begun. */
export const syncAccount = defineOperation({
  id: 'syncAccount',
  method: 'put',
  path: '/v1/account/:account/sync',
  tag: 'Account',
  summary: 'Look at all folders now',
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

/**
 * Forgets what is known of the messages of an account and finds it out anew. Ids of messages stay as they are; no event tells of it but
 * a messageNew for each message that came since `notifyFrom`.
 */
export const flushAccount = defineOperation({
  id: 'flushAccount',
  method: 'put',
  path: '/v1/account/:account/flush',
  tag: 'Account',
  summary: 'Forget the index of an account and build it anew',
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

/** Signatures that the provider keeps; there are none behind IMAP. */
export const getServerSignatures = defineOperation({
  id: 'getServerSignatures',
  method: 'get',
  path: '/v1/account/:account/server-signatures',
  tag: 'Account',
  summary: "List the signatures that the account's provider keeps",
  scope: 'api',
  permission: { action: 'read', group: 'account' },
  params,
  response: Type.Object({
    signatures: Type.Array(Type.Object({ address: Type.String(), signature: Type.String() })),
    signaturesSupported: Type.Boolean(),
  }),
})
