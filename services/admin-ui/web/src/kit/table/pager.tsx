import { usePageQuery } from '../../routing/navigation.tsx'
import { pageOf } from '../../routing/query-text.ts'
import { Button, ButtonRow } from '../controls/button.tsx'
import css from './table.module.css'

export interface PagerProps {
  pages: number
  total: number
  /** Noun for one entry of the list, such as `account`. */
  noun: string
  /** Noun for several entries of the list. Absent: the noun for one entry with an s. */
  plural?: string
}

/**
 * Number of entries in a list, and buttons for the previous and the next page. The number of the
 * current page is in the address.
 */
export function Pager({ pages, total, noun, plural = `${noun}s` }: PagerProps) {
  const [query, change] = usePageQuery()
  const page = pageOf(query)
  const open = (next: number) => change({ page: String(next + 1) })
  // After a deletion, the current page can lie behind the last page.
  const hasOthers = pages > 1 || page > 0
  return (
    <nav className={css['pager']} aria-label="Pages of the list">
      <span className={css['count']}>
        {total.toLocaleString('en')} {total === 1 ? noun : plural}
        {hasOthers && `, page ${page + 1} of ${pages.toLocaleString('en')}`}
      </span>
      {hasOthers && (
        <ButtonRow>
          <Button
            onPress={() => open(Math.max(0, Math.min(page, pages) - 1))}
            isDisabled={page <= 0}
          >
            Previous
          </Button>
          <Button onPress={() => open(page + 1)} isDisabled={page >= pages - 1}>
            Next
          </Button>
        </ButtonRow>
      )}
    </nav>
  )
}
