import type { GetStatsResult } from '../../data/overview.ts'
import type { Tone } from '../../kit/content/badge.tsx'

/** Figure of the dashboard, which links to its list. */
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

/** States that are shown even without an account. */
const alwaysShown = new Set(['connected', 'authenticationError', 'connectError'])

/** Accounts by state. States without an account are left out, except the important ones. */
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

/** Due work of the outbox and of webhooks. */
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
