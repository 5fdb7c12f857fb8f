import { type Static, Type } from 'typebox'
import { LastError } from './account.ts'
import { accountStates } from './account-state.ts'
import { Nullable, OneOf, Text } from './primitives.ts'

/**
 * Kinds of changes in the stream `GET /v1/changes`. Most changes belong to an account, changes of
 * proxy states to none.
 */
export const changeTypes = [
  'state',
  'address',
  'syncWarning',
  'smtpServerState',
  'imapProxyServerState',
] as const
export type ChangeType = (typeof changeTypes)[number]

/** States of the listener of the imap-proxy or smtp-proxy service. */
export const proxyStates = ['listening', 'failed', 'exited'] as const
export type ProxyState = (typeof proxyStates)[number]

/**
 * Kinds of sync warnings. The kinds about a lost cursor (position in a change list) concern
 * accounts with a mail API.
 */
export const syncWarningTypes = [
  'mailboxRefused',
  'historyIdExpired',
  'syncStateNotFound',
  'cursorExpired',
] as const

/**
 * Warning about an incident during the sync of an account. The state of the account does not
 * change.
 */
export const SyncWarning = Type.Object(
  {
    type: OneOf(syncWarningTypes, {
      description:
        'Kind of the warning. `mailboxRefused`: the server refused to open a mailbox, or a `path` of the account names none. The others: the provider no longer has the changes since the last sync, so the mailbox is listed and compared. `historyIdExpired` and `syncStateNotFound` are the reasons of Gmail and Microsoft Graph, `cursorExpired` is any other one.',
    }),
    message: Text('Text of the error.'),
    path: Text('Path of the mailbox.'),
  },
  { description: 'Warning of type `syncWarning`.' },
)
export type SyncWarning = Static<typeof SyncWarning>

/**
 * Data of a frame in the stream `GET /v1/changes`: a change of an account or of the state of a mail
 * proxy.
 */
export const StateChange = Type.Object({
  account: Nullable(Text('Account id. Null for the state of a proxy.')),
  type: OneOf(changeTypes, {
    description:
      'Kind of the change: `state`, `address` and `syncWarning` of an account, `smtpServerState` and `imapProxyServerState` of a replica of a proxy.',
  }),
  key: Type.Union([Text('New state.'), SyncWarning], {
    description:
      'New state of the account, as `state` of its record; of a proxy `listening`, `failed` or `exited`. The warning for `syncWarning`. For `address` the address of the mailbox at its provider, which differs from the stored address: the account was registered with an alias, or the user was renamed.',
  }),
  stateDetail: Type.Optional(
    OneOf(accountStates, { description: 'Exact state of the account, for `state` only.' }),
  ),
  payload: Nullable(
    Type.Object({ error: LastError }, { description: 'Last error. Null if there is none.' }),
  ),
})
export type StateChange = Static<typeof StateChange>
