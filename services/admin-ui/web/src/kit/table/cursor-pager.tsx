import { usePageQuery } from '../../routing/navigation.tsx'
import { Button, ButtonRow } from '../controls/button.tsx'

export interface CursorPagerProps {
  /** Cursor of the next page. Null or undefined: the current page is the last page. */
  next: string | null | undefined
  /** Texts of the buttons. Absent: the list begins with its newest entry. */
  texts?: { first: string; next: string }
}

const newestFirst = { first: 'Newest', next: 'Older' }

/**
 * Buttons for the first and the next page of a list whose pages have no numbers. The cursor of the
 * current page is in the address.
 */
export function CursorPager({ next, texts = newestFirst }: CursorPagerProps) {
  const [query, change] = usePageQuery()
  return (
    <ButtonRow>
      {query['cursor'] && <Button onPress={() => change({ cursor: '' })}>{texts.first}</Button>}
      {typeof next === 'string' && (
        <Button onPress={() => change({ cursor: next })}>{texts.next}</Button>
      )}
    </ButtonRow>
  )
}
