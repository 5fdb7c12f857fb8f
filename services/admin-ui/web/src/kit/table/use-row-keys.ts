import { type RefObject, useEffect, useRef } from 'react'
import { isTyping } from '../typing.ts'
import { moveRow } from './selection.ts'

/** Keys of the keyboard that move between the rows of a table. */
const steps: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1 }

/** Moves the focus to the next or the previous row, across all tables of the page. */
function moveFocus(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLTableRowElement>('tbody > tr')]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  rows[moveRow(current, step, rows.length)]?.focus()
}

function openRow(row: HTMLTableRowElement | undefined): void {
  row?.querySelector<HTMLElement>('a, button')?.click()
}

/**
 * Keyboard shortcuts of a table: `j` and `k` move between the rows, `x` selects the current row,
 * and Enter activates the first link or button of the row.
 */
export function useRowKeys(
  body: RefObject<HTMLTableSectionElement | null>,
  onSelect: (index: number) => void,
): void {
  const select = useRef(onSelect)
  select.current = onSelect
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // If a page has several tables, the first of them handles `j` and `k`.
      if (event.defaultPrevented || isTyping(event)) return
      const step = steps[event.key]
      if (step !== undefined) {
        moveFocus(step)
        event.preventDefault()
        return
      }
      const rows = [...(body.current?.rows ?? [])]
      const current = rows.findIndex((row) => row.contains(document.activeElement))
      if (current < 0) return
      if (event.key === 'x') select.current(current)
      else if (event.key === 'Enter' && rows[current] === document.activeElement)
        openRow(rows[current])
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [body])
}
