import { type RefObject, useEffect, useRef } from 'react'
import { isTyping } from '../typing.ts'
import { moveRow } from './selection.ts'

/** Keys of the keyboard that move between the rows of a table. */
const steps: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1 }

function openRow(row: HTMLTableRowElement | undefined): void {
  row?.querySelector<HTMLElement>('a, button')?.click()
}

/**
 * Keyboard shortcuts of a table: `j` and `k` move between the rows, `x` selects the current row,
 * and Enter opens the first link of the row.
 */
export function useRowKeys(
  body: RefObject<HTMLTableSectionElement | null>,
  onSelect: (index: number) => void,
): void {
  const select = useRef(onSelect)
  select.current = onSelect
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return
      const rows = [...(body.current?.rows ?? [])]
      const current = rows.findIndex((row) => row.contains(document.activeElement))
      const step = steps[event.key]
      if (step !== undefined) {
        rows[moveRow(current, step, rows.length)]?.focus()
        event.preventDefault()
      } else if (event.key === 'x' && current >= 0) select.current(current)
      else if (event.key === 'Enter' && rows[current] === document.activeElement)
        openRow(rows[current])
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [body])
}
