/** States of an account in full detail, as stored. */
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

/** States of an account in the API. Interface spec, "Account states". */
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
  // API responses with status 503 describe this state in the same way: the account is not connected
  // yet.
  connecting: 'init',
  syncing: 'init',
  connected: 'connected',
  authenticationError: 'authenticationError',
  connectError: 'connectError',
  disconnected: 'other',
  unset: 'unset',
  paused: 'other',
} as const satisfies Record<AccountState, ShownState>

/** Account state of the API that stands for a stored account state. */
export function shownState(state: AccountState): ShownState {
  return shownByState[state]
}

/**
 * Members of an API response for an account state: `state` as in the interface spec, `stateDetail`
 * as stored.
 */
export function stateMembers(state: AccountState) {
  return { state: shownState(state), stateDetail: state }
}

/**
 * Stored account states that match a filter. The filter names a state of the API or a stored state.
 */
export function matchingStates(filter: AccountState | ShownState): AccountState[] {
  const shown = accountStates.filter((state) => shownByState[state] === filter)
  return shown.length > 0 ? shown : accountStates.filter((state) => state === filter)
}

/** Valid values of the filter of accounts by state, without duplicates. */
export const stateFilters = [...new Set([...shownStates, ...accountStates])]
