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
        'Kind of the sync warning. `mailboxRefused`: the server refused to open a mailbox, or a `path` of the account names no mailbox. `historyIdExpired` (Gmail), `syncStateNotFound` (Microsoft Graph) and `cursorExpired` (other reasons): the provider no longer has the changes since the last sync, so all messages of the mailbox are listed and compared.',
    }),
    message: Text('Text of the error of the mail server or provider that caused the warning.'),
    path: Text('Path of the mailbox that the warning concerns.'),
  },
  { description: 'Warning about the sync of a mailbox. The state of the account does not change.' },
)
export type SyncWarning = Static<typeof SyncWarning>

/**
 * Data of a frame in the stream `GET /v1/changes`: a change of an account or of the state of a mail
 * proxy.
 */
export const StateChange = Type.Object({
  account: Nullable(
    Text('Id of the account that changed. Null for a state of the IMAP or SMTP proxy.'),
  ),
  type: OneOf(changeTypes, {
    description:
      'Kind of the change: `state`, `address` and `syncWarning` of an account, `smtpServerState` and `imapProxyServerState` of a replica of a proxy.',
  }),
  key: Type.Union(
    [Text('New state of the account or proxy, or the address for `address`.'), SyncWarning],
    {
      description:
        'Value that belongs to `type`. `state`: new state of the account, as in `state` of the account record. `smtpServerState`, `imapProxyServerState`: `listening`, `failed` or `exited`. `syncWarning`: the warning. `address`: address of the mailbox at the provider. The provider reports another address than the stored address if the account was registered with an alias, or if the user was renamed.',
    },
  ),
  stateDetail: Type.Optional(
    OneOf(accountStates, {
      description:
        'State of the account in more detail, as in `stateDetail` of the account record. Only for the type `state`.',
    }),
  ),
  payload: Nullable(
    Type.Object(
      { error: LastError },
      { description: 'Last error of the account or proxy. Null if there is no error.' },
    ),
  ),
})
export type StateChange = Static<typeof StateChange>
