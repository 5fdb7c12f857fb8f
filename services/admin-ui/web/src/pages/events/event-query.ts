import { filtersOf, timeFiltersOf } from '../../data/query-filters.ts'
import type { PageQuery } from '../../routing/query-text.ts'

const pageSize = 50

/** Query of the list of events from the filters in the address of the page. */
export function eventListInput(query: PageQuery) {
  return {
    pageSize,
    ...filtersOf(query, ['account', 'event', 'cursor']),
    ...timeFiltersOf(query, ['since', 'until']),
  }
}

/** Filter of the live events from the filters in the address of the page. */
export const liveFilter = (query: PageQuery) => filtersOf(query, ['account', 'event'])

/**
 * True if the page shows new events as they arrive: only the newest page of a list without an end
 * time.
 */
export function isLive({ live, cursor = '', until = '' }: PageQuery): boolean {
  return live === '1' && cursor === '' && until === ''
}
