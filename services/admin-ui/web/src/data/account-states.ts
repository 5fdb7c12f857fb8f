/** Name of an account's state on the pages, and the tone (color) of the name. */
export interface StateText {
  label: string
  tone: 'good' | 'warn' | 'bad' | 'neutral'
}

/** Names and tones of the states of accounts. */
export const accountStates = {
  connected: { label: 'Connected', tone: 'good' },
  syncing: { label: 'Syncing', tone: 'neutral' },
  connecting: { label: 'Connecting', tone: 'neutral' },
  init: { label: 'Starting', tone: 'neutral' },
  new: { label: 'New', tone: 'neutral' },
  authenticationError: { label: 'Login fails', tone: 'bad' },
  connectError: { label: 'Connection fails', tone: 'bad' },
  disconnected: { label: 'Disconnected', tone: 'warn' },
  paused: { label: 'Paused', tone: 'neutral' },
  unset: { label: 'Not set up', tone: 'warn' },
} satisfies Readonly<Record<string, StateText>>

type AccountState = keyof typeof accountStates

function isAccountState(state: string): state is AccountState {
  return Object.hasOwn(accountStates, state)
}

/** Name and tone of an account's state. Unknown states are shown by their names in the API. */
export function stateText(state: string): StateText {
  return isAccountState(state) ? accountStates[state] : { label: state, tone: 'neutral' }
}

/** State by which the page's address filters accounts. Unknown states count as no filter. */
export function stateFilter(value: string | undefined): AccountState | undefined {
  return value !== undefined && isAccountState(value) ? value : undefined
}
