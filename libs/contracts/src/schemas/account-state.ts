/** States of an account in their full detail, as stored. */
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
  // As in the responses 503: the account is not connected yet.
  connecting: 'init',
  syncing: 'init',
  connected: 'connected',
  authenticationError: 'authenticationError',
  connectError: 'connectError',
  disconnected: 'other',
  unset: 'unset',
  paused: 'other',
} as const satisfies Record<AccountState, ShownState>

/** State of the API that stands for a stored state. */
export function shownState(state: AccountState): ShownState {
  return shownByState[state]
}

/** Both forms of a state in responses: that of the interface, and the exact one. */
export function stateMembers(state: AccountState) {
  return { state: shownState(state), stateDetail: state }
}

/** Stored states that match a filter, which may name a state of the API or an exact one. */
export function matchingStates(filter: AccountState | ShownState): AccountState[] {
  const shown = accountStates.filter((state) => shownByState[state] === filter)
  return shown.length > 0 ? shown : accountStates.filter((state) => state === filter)
}

/** Values of a filter by state, each once. */
export const stateFilters = [...new Set([...shownStates, ...accountStates])]
