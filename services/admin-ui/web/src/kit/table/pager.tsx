import { Button, ButtonRow } from '../controls/button.tsx'
import css from './table.module.css'

export interface PagerProps {
  /** Number of the current page of a list, from 0. */
  page: number
  pages: number
  total: number
  noun: string
  onPage: (page: number) => void
}

/** Number of entries in a list, and buttons for the previous and the next page. */
export function Pager({ page, pages, total, noun, onPage }: PagerProps) {
  return (
    <nav className={css['pager']} aria-label="Pages of the list">
      <span className={css['count']}>
        {total.toLocaleString('en')} {noun}
        {pages > 1 && `, page ${page + 1} of ${pages.toLocaleString('en')}`}
      </span>
      {pages > 1 && (
        <ButtonRow>
          <Button onPress={() => onPage(page - 1)} isDisabled={page <= 0}>
            Previous
          </Button>
          <Button onPress={() => onPage(page + 1)} isDisabled={page >= pages - 1}>
            Next
          </Button>
        </ButtonRow>
      )}
    </nav>
  )
}
