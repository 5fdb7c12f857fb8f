import type { PageQuery } from '../../routing/query-text.ts'

const pageSize = 50

/** Filters of the list of events that are texts. */
const textFilters = ['account', 'event', 'cursor'] as const

/**
 * Query of the list of events from the filters in the address of the page. Times in the reader's
 * time zone become UTC. Invalid times are left out.
 */
export function eventListInput(query: PageQuery) {
  const texts = textFilters.map((name) => [name, query[name] ?? ''] as const)
  const times = (['since', 'until'] as const).map((name) => [name, toUtc(query[name])] as const)
  const filters = [...texts, ...times].filter(([, value]) => value !== '')
  return { pageSize, ...(Object.fromEntries(filters) as Partial<Record<string, string>>) }
}

/** Filter of the live events from the filters in the address of the page. */
export function liveFilter({ account = '', event = '' }: PageQuery) {
  return { ...(account !== '' && { account }), ...(event !== '' && { event }) }
}

/**
 * True if the page shows new events as they arrive: only the newest page of a list without an end.
 */
export function isLive({ live, cursor = '', until = '' }: PageQuery): boolean {
  return live === '1' && cursor === '' && until === ''
}

function toUtc(value = ''): string {
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
