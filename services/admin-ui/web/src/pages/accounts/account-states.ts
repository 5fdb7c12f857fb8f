import type { Tone } from '../../kit/content/badge.tsx'

/** Names and colors of the states of accounts. */
export const accountStates: Readonly<Record<string, { label: string; tone: Tone }>> = {
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
}

/** Choices of the field that filters accounts by state. */
export const stateChoices = [
  { value: '', label: 'All states' },
  ...Object.entries(accountStates).map(([value, { label }]) => ({ value, label })),
]

/** State by which the page's address filters accounts. Unknown states count as no filter. */
export function stateFilter(value: string | undefined): string | undefined {
  return value !== undefined && Object.hasOwn(accountStates, value) ? value : undefined
}
