import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const firstConnection = `Your mailbox is being connected. ${nothingToDo}`

/** Advice table for states of accounts whose error is unknown. The last row matches every error. */
export const accountStates: readonly AdviceRow[] = [
  {
    id: 'state-new',
    states: ['new'],
    meaning: 'The account is registered, and no worker has connected it yet.',
    action: 'Wait some seconds. If the state stays, check that sync-worker is running.',
    ownerText: firstConnection,
    guide: 'connect-accounts#watch-the-state',
  },
  {
    id: 'state-first-sync',
    states: ['init', 'connecting', 'syncing'],
    meaning: 'The account connects, or its first sync is running.',
    action: 'Wait for the state `connected`. Large mailboxes take some minutes.',
    ownerText: firstConnection,
    guide: 'connect-accounts#watch-the-state',
  },
  {
    id: 'state-authentication-error',
    states: ['authenticationError'],
    meaning: 'The mail server or provider rejects the login of the account.',
    action: 'Set new credentials with `PUT /v1/account/{account}`, or let the owner sign in again.',
    ownerText:
      'Your mail provider rejects the login. Please enter your password again, or sign in again.',
    guide: 'connect-accounts#repair-and-change',
  },
  {
    id: 'state-connect-error',
    states: ['connectError'],
    meaning:
      'The mail server cannot be reached, or rejected the login for a reason other than the credentials.',
    action:
      'Read `lastError` of the account. The account reconnects automatically with growing delays.',
    ownerText: `Your mail provider cannot be reached at the moment. ${nothingToDo}`,
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'state-unset',
    states: ['unset'],
    meaning:
      'Syncing is off: the account only sends, an operator has switched it off, or logins failed for days.',
    action:
      'If `authFailureDisabledAt` is set, store new credentials or call `PUT /v1/account/{account}/reconnect`.',
    ownerText:
      'Your mailbox is not read at the moment. If the login has failed before, please enter your password again, or sign in again.',
    guide: 'connect-accounts#repair-and-change',
  },
  {
    id: 'state-paused',
    states: ['paused'],
    meaning: 'An operator has paused the account.',
    action: 'Set `paused` of the account to false.',
    ownerText: 'The connection to your mailbox is paused by the operator.',
    guide: 'connect-accounts#pause-and-delete',
  },
  {
    id: 'state-disconnected',
    states: ['disconnected', 'other'],
    meaning: 'The connection was lost repeatedly, or the account is paused.',
    action: 'Look at `stateDetail`. A disconnected account reconnects automatically.',
    ownerText: `The connection to your mailbox is interrupted. ${nothingToDo}`,
    guide: 'connect-accounts#watch-the-state',
  },
  {
    id: 'account-unknown-error',
    meaning: 'No explanation is known for this error of an account.',
    action: 'Read `lastError`. Switch on `logs` of the account and read the log of the connection.',
    ownerText: `Your mailbox cannot be read at the moment. ${nothingToDo}`,
    guide: 'connect-accounts#what-can-go-wrong',
  },
]
