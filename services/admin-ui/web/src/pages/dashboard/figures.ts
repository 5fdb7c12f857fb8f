import { accountStates } from '../../data/account-states.ts'
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

/** States of accounts in the order in which the dashboard shows them. */
const shownStates = [
  'connected',
  'syncing',
  'connecting',
  'authenticationError',
  'connectError',
  'disconnected',
  'paused',
  'unset',
] as const

/** States of accounts that the dashboard shows even if no account has the state. */
const alwaysShown: ReadonlySet<string> = new Set([
  'connected',
  'authenticationError',
  'connectError',
])

/**
 * Numbers of accounts by state. States without an account are left out, except the important ones.
 */
export function accountFigures({ connections }: GetStatsResult): Figure[] {
  return shownStates
    .filter((state) => connections[state] > 0 || alwaysShown.has(state))
    .map((state): Figure => {
      const { label, tone } = accountStates[state]
      const value = connections[state]
      return {
        label,
        value,
        tone: value > 0 ? tone : 'neutral',
        path: '/accounts',
        query: { state },
      }
    })
}

/** Numbers of due entries of the outbox and of webhook deliveries. */
export function queueFigures({ queues }: GetStatsResult): Figure[] {
  const { notify, submit } = queues
  return [
    queueFigure('Messages due', submit.waiting + submit.delayed, {
      path: '/outbox',
      state: 'queued',
    }),
    queueFigure('Messages failed', submit.failed, { path: '/outbox', state: 'failed' }),
    queueFigure('Deliveries due', notify.waiting + notify.delayed, {
      path: '/deliveries',
      state: 'due',
    }),
    queueFigure('Deliveries failed', notify.failed, { path: '/deliveries', state: 'failed' }),
  ]
}

function queueFigure(
  label: string,
  value: number,
  { path, state }: { path: string; state: string },
): Figure {
  const tone = state === 'failed' && value > 0 ? 'bad' : 'neutral'
  return { label, value, tone, path, query: { state } }
}

/** Sums of the counters whose names start with a prefix, such as `events:`. */
export function countersWith(stats: GetStatsResult, prefix: string): [name: string, sum: number][] {
  return Object.entries(stats.counters)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, sum]): [string, number] => [name.slice(prefix.length), sum])
    .toSorted(([, first], [, second]) => second - first)
}
