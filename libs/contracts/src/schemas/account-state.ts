import { OneOf } from './primitives.ts'

/** States of an account in full detail, as stored in the database. */
export const accountStates = [
  'new',
  'init',
  'connecting',
  'syncing',
  'connected',
  'authenticationError',
  'connectError',
  'disconnected',
  'unset',
  'paused',
] as const
export type AccountState = (typeof accountStates)[number]

/**
 * States of an account that the API shows. See the section "Account states" of the interface spec.
 */
export const shownStates = [
  'new',
  'init',
  'connected',
  'authenticationError',
  'connectError',
  'unset',
  'other',
] as const
export type ShownState = (typeof shownStates)[number]

const shownByState = {
  new: 'new',
  init: 'init',
  // The API shows the account state `connecting` as `init`. API responses with status 503 also
  // describe a connecting account as not yet connected.
  connecting: 'init',
  syncing: 'init',
  connected: 'connected',
  authenticationError: 'authenticationError',
  connectError: 'connectError',
  disconnected: 'other',
  unset: 'unset',
  paused: 'other',
} as const satisfies Record<AccountState, ShownState>

/** Error message for an operation that a paused account does not allow. */
export const pausedAccount = 'The account is paused, set paused to false to connect it'

/** Error messages, with remedies, for operations that need the connection of an account. */
export const unavailableAccount = {
  notYetConnected: 'The account is not connected yet, retry when its state is connected',
  refused: 'The mail server refuses the credentials of the account, set new credentials',
  unreachable:
    'The mail server of the account cannot be reached, read lastError of the account and retry later',
  syncingOff:
    'Syncing of the account is switched off, set new credentials or reconnect the account',
  disconnected: 'The account is disconnected and reconnects automatically, retry later',
} as const

/** Converts a stored account state to the account state that the API shows. */
export function shownState(state: AccountState): ShownState {
  return shownByState[state]
}

/**
 * Members of an API response for the state of an account. `state` is the state as in the interface
 * spec, `stateDetail` is the stored state.
 */
export function stateMembers(state: AccountState) {
  return { state: shownState(state), stateDetail: state }
}

/**
 * Stored account states that match a filter. A filter names a state of the API or a stored state.
 */
export function matchingStates(filter: AccountState | ShownState): AccountState[] {
  const shown = accountStates.filter((state) => shownByState[state] === filter)
  return shown.length > 0 ? shown : accountStates.filter((state) => state === filter)
}

/** Values that a filter by account state may have, without duplicates. */
export const stateFilters = [...new Set([...shownStates, ...accountStates])]

/** Schemas of the members of an API response for the state of an account. */
export const stateSchemas = {
  state: OneOf(shownStates, {
    description:
      'State of the account. `new`: registered; `init`: connecting, or first sync; `connected`: ready; `authenticationError`: the login was rejected; `connectError`: the mail server is unreachable, or the login failed for another reason; `unset`: no incoming server, or syncing is switched off; `other`: disconnected or paused.',
  }),
  stateDetail: OneOf(accountStates, {
    description:
      'State of the account in more detail than `state`. Additional values: `connecting`: the login is in progress; `syncing`: the first sync after the login is in progress; `disconnected`: the connection was lost repeatedly; `paused`: paused by the option `paused`. For accounts that have synced before, `connecting` and `syncing` appear only if the login or the sync takes more than 5 s (variable `SVC_TRANSIENT_STATE_DELAY`).',
  }),
}
