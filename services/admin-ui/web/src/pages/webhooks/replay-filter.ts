import { filtersOf } from '../../data/query-filters.ts'
import type { Replay, ReplayFilter } from '../../data/queues.ts'

const names = ['account', 'event', 'address', 'outcome'] as const

/**
 * Filter of a webhook replay from the query of the page. Other members of the query do not apply.
 */
export function replayFilter(query: Readonly<Record<string, string>>): ReplayFilter {
  return filtersOf(query, names)
}

/** Words for the filter of a webhook replay: `with account anna and event messageNew`. */
export function filterText(filter: ReplayFilter): string {
  const parts = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
  return parts.length === 0 ? 'of all accounts and targets' : `with ${parts.join(' and ')}`
}

/** Progress of a webhook replay in words. */
export function replayText({
  state,
  replayed,
  total,
}: Pick<Replay, 'state' | 'replayed' | 'total'>) {
  if (state === 'queued') return 'The replay is about to start.'
  const count = replayed.toLocaleString('en')
  if (state === 'done') return `Done: ${count} deliveries are sent again.`
  return total === null ? `${count} replayed` : `${count} of ${total.toLocaleString('en')} replayed`
}
