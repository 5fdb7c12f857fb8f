import { type ReactNode, useRef } from 'react'
import { CheckBox } from '../controls/check-box.tsx'
import { toggleAll, toggleKey } from './selection.ts'
import css from './table.module.css'
import { useRowKeys } from './use-row-keys.ts'

/** Column of a table, with the content of its cells. */
export interface Column<R> {
  title: string
  cell: (row: R) => ReactNode
  /** True for columns of names and addresses, which need more space than other values. */
  isWide?: boolean
  /** True for columns of event names, which stay on one line of wide screens. */
  isWord?: boolean
}

/** Selected rows of a table, by their keys. */
export interface Selection {
  keys: ReadonlySet<string>
  onChange: (keys: ReadonlySet<string>) => void
}

export interface DataTableProps<R> {
  label: string
  rows: readonly R[]
  columns: readonly Column<R>[]
  keyOf: (row: R) => string
  /** Selected rows of the table. Absent: rows cannot be selected. */
  selection?: Selection
}

/**
 * Table whose rows become cards on narrow screens. The ARIA roles are explicit, because browsers
 * drop the roles of table elements that are shown as blocks.
 */
export function DataTable<R>({ label, rows, columns, keyOf, selection }: DataTableProps<R>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const keys = rows.map(keyOf)
  useRowKeys(body, (index) => {
    const key = keys[index]
    if (selection && key !== undefined) selection.onChange(toggleKey(selection.keys, key))
  })
  return (
    <div className={css['frame']}>
      <table className={css['table']} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {selection && <SelectAll keys={keys} selection={selection} />}
            {columns.map(({ title }) => (
              <th key={title} role="columnheader" scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" ref={body}>
          {rows.map((row, index) => (
            <Row
              key={keys[index]}
              row={row}
              columns={columns}
              {...markOf(keys[index], selection)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowMark {
  isSelected?: boolean
  onToggle?: () => void
}

function markOf(key: string | undefined, selection: Selection | undefined): RowMark {
  if (!selection || key === undefined) return {}
  return {
    isSelected: selection.keys.has(key),
    onToggle: () => selection.onChange(toggleKey(selection.keys, key)),
  }
}

interface RowProps<R> extends RowMark {
  row: R
  columns: readonly Column<R>[]
}

function Row<R>({ row, columns, isSelected, onToggle }: RowProps<R>) {
  return (
    <tr role="row" tabIndex={-1} {...(isSelected !== undefined && { 'data-selected': isSelected })}>
      {onToggle && (
        <td role="cell" className={css['mark']} data-label="Select">
          <CheckBox label="Select row" isSelected={isSelected ?? false} onChange={onToggle} />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.title} role="cell" data-label={column.title}>
          <div className={css['cell']} data-width={widthOf(column)}>
            {column.cell(row)}
          </div>
        </td>
      ))}
    </tr>
  )
}

function widthOf({ isWide, isWord }: Pick<Column<unknown>, 'isWide' | 'isWord'>): string {
  if (isWide === true) return 'wide'
  return isWord === true ? 'word' : 'normal'
}

function SelectAll({ keys, selection }: { keys: readonly string[]; selection: Selection }) {
  const count = keys.filter((key) => selection.keys.has(key)).length
  return (
    <th role="columnheader" scope="col" className={css['mark']}>
      <CheckBox
        label="Select all rows of this page"
        isSelected={count > 0 && count === keys.length}
        isIndeterminate={count > 0 && count < keys.length}
        onChange={() => selection.onChange(toggleAll(selection.keys, keys))}
      />
    </th>
  )
}
