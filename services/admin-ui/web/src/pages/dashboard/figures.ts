import type { GetStatsResult } from '../../data/overview.ts'
import type { Tone } from '../../kit/content/badge.tsx'

/** Number on the dashboard, which links to the list of what it counts. */
export interface Figure {
  label: string
  value: number
  tone: Tone
  path: string
  query: Readonly<Record<string, string>>
}

const stateFigures = [
  ['connected', 'Connected', 'good'],
  ['syncing', 'Syncing', 'neutral'],
  ['connecting', 'Connecting', 'neutral'],
  ['authenticationError', 'Login fails', 'bad'],
  ['connectError', 'Connection fails', 'bad'],
  ['disconnected', 'Disconnected', 'warn'],
  ['paused', 'Paused', 'neutral'],
  ['unset', 'Not set up', 'neutral'],
] as const

/** States of accounts that the dashboard shows even if no account has the state. */
const alwaysShown = new Set(['connected', 'authenticationError', 'connectError'])

/**
 * Numbers of accounts by state. States without an account are left out, except the important ones.
 */
export function accountFigures({ connections }: GetStatsResult): Figure[] {
  return stateFigures
    .map(([state, label, tone]) => ({
      label,
      value: connections[state],
      tone: connections[state] > 0 ? tone : ('neutral' as const),
      path: '/accounts',
      query: { state },
      state,
    }))
    .filter(({ value, state }) => value > 0 || alwaysShown.has(state))
    .map(({ state: _state, ...figure }) => figure)
}

/** Numbers of due entries of the outbox and of webhook deliveries. */
export function queueFigures({ queues }: GetStatsResult): Figure[] {
  const { notify, submit } = queues
  return [
    outboxFigure('Messages due', submit.waiting + submit.delayed, 'queued'),
    outboxFigure('Messages failed', submit.failed, 'failed'),
    deliveryFigure('Deliveries due', notify.waiting + notify.delayed, 'due'),
    deliveryFigure('Deliveries failed', notify.failed, 'failed'),
  ]
}

function outboxFigure(label: string, value: number, state: string): Figure {
  const tone = state === 'failed' && value > 0 ? 'bad' : 'neutral'
  return { label, value, tone, path: '/outbox', query: { state } }
}

function deliveryFigure(label: string, value: number, state: string): Figure {
  const tone = state === 'failed' && value > 0 ? 'bad' : 'neutral'
  return { label, value, tone, path: '/deliveries', query: { state } }
}

/** Sums of the counters whose names start with a prefix, such as `events:`. */
export function countersWith(stats: GetStatsResult, prefix: string): [name: string, sum: number][] {
  return Object.entries(stats.counters)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, sum]): [string, number] => [name.slice(prefix.length), sum])
    .toSorted(([, first], [, second]) => second - first)
}
