import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import {
  AccountListEntry,
  AccountRecord,
  AccountRegistration,
  accountStates,
  AccountUpdate,
} from '../schemas/account.ts'
import {
  AccountId,
  OneOf,
  pageCounts,
  pageQuery,
  Strict,
  timeoutHeader,
} from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'

const params = Strict({ account: AccountId })

/** Registers an account, or updates the one of that id in place. Credentials are tried later: see the account's state and its events. */
export const createAccount = defineOperation({
  id: 'createAccount',
  method: 'post',
  path: '/v1/account',
  tag: 'Account',
  summary: 'Register or update an account',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  body: AccountRegistration,
  response: Type.Object({
    account: Type.Optional(Type.String()),
    state: Type.Optional(OneOf(['new', 'existing'])),
    redirect: Type.Optional(
      Type.String({ description: 'With `oauth2.authorize`, alone: where the owner consents' }),
    ),
  }),
  errors: ['AccountAlreadyExists', 'UnsupportedOperation'],
})

export const getAccount = defineOperation({
  id: 'getAccount',
  method: 'get',
  path: '/v1/account/:account',
  tag: 'Account',
  summary: 'Read an account with its state',
  scope: 'api',
  permission: { action: 'read', group: 'account' },
  params,
  query: Strict({
    quota: Type.Optional(
      Type.Boolean({ default: false, description: 'Also ask the mail server how full it is' }),
    ),
  }),
  headers: Type.Object(timeoutHeader),
  response: AccountRecord,
  errors: workerErrors,
})

/** Changes an account. A stored password goes to no host that it was not given for: a new `host` takes the password along. */
export const updateAccount = defineOperation({
  id: 'updateAccount',
  method: 'put',
  path: '/v1/account/:account',
  tag: 'Account',
  summary: 'Change an account',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  params,
  body: AccountUpdate,
  response: Type.Object({ account: Type.String() }),
  errors: ['AccountAlreadyExists', 'UnsupportedOperation'],
})

export const listAccounts = defineOperation({
  id: 'listAccounts',
  method: 'get',
  path: '/v1/accounts',
  tag: 'Account',
  summary: 'List accounts',
  scope: 'api',
  permission: { action: 'read', group: 'account' },
  query: Strict({
    ...pageQuery,
    state: Type.Optional(OneOf(accountStates)),
    query: Type.Optional(
      Type.String({ maxLength: 256, description: 'Part of the id, name or address' }),
    ),
  }),
  response: Type.Object({
    ...pageCounts,
    query: Type.Union([Type.String(), Type.Literal(false)]),
    state: Type.String(),
    accounts: Type.Array(AccountListEntry),
  }),
})

/** Deletes the account, its credentials, its index, its queued mail and its tokens. Mail on the server stays. */
export const deleteAccount = defineOperation({
  id: 'deleteAccount',
  method: 'delete',
  path: '/v1/account/:account',
  tag: 'Account',
  summary: 'Delete an account',
  scope: 'api',
  permission: { action: 'destructive', group: 'account' },
  params,
  query: Strict({ revoke: Type.Optional(Type.Boolean({ default: false })) }),
  response: Type.Object({ account: Type.String(), deleted: Type.Boolean() }),
})
