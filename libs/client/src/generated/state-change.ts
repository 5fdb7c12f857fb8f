// Written by `make client` from the contracts, do not edit.

import type {
  LastError,
} from './schemas.ts'

export interface StateChange {
  /** Id of the account that changed. Null for a state of the IMAP or SMTP proxy. */
  account: string | null
  /**
   * Kind of the change: `state`, `address` and `syncWarning` of an account, `smtpServerState`
   * and `imapProxyServerState` of a replica of a proxy.
   */
  type: 
    | 'state'
    | 'address'
    | 'syncWarning'
    | 'smtpServerState'
    | 'imapProxyServerState'
  /**
   * Value that belongs to `type`. `state`: new state of the account, as in `state` of the
   * account record. `smtpServerState`, `imapProxyServerState`: `listening`, `failed` or
   * `exited`. `syncWarning`: the warning. `address`: address of the mailbox at the provider.
   * The provider reports another address than the stored address if the account was registered
   * with an alias, or if the user was renamed.
   */
  key: string | {
    /**
     * Kind of the sync warning. `mailboxRefused`: the server refused to open a mailbox, or a
     * `path` of the account names no mailbox. `historyIdExpired` (Gmail), `syncStateNotFound`
     * (Microsoft Graph) and `cursorExpired` (other reasons): the provider no longer has the
     * changes since the last sync, so all messages of the mailbox are listed and compared.
     */
    type: 
      | 'mailboxRefused'
      | 'historyIdExpired'
      | 'syncStateNotFound'
      | 'cursorExpired'
    /** Text of the error of the mail server or provider that caused the warning. */
    message: string
    /** Path of the mailbox that the warning concerns. */
    path: string
  }
  /**
   * State of the account in more detail, as in `stateDetail` of the account record. Only for
   * the type `state`.
   */
  stateDetail?: 
    | 'new'
    | 'init'
    | 'connecting'
    | 'syncing'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'disconnected'
    | 'unset'
    | 'paused'
  /** Last error of the account or proxy. Null if there is no error. */
  payload: {
    error: LastError
  } | null
}
