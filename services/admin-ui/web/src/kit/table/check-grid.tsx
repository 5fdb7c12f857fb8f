import { CheckBox } from '../controls/check-box.tsx'
import css from './check-grid.module.css'
import { toggleAll, toggleKey } from './selection.ts'

/** Cell of a grid of check boxes. */
export interface GridCell {
  key: string
  row: string
  column: string
}

export interface CheckGridProps {
  label: string
  /** Title of the column with the names of the rows. */
  rowsTitle: string
  /** Rows and columns by their keys, with their names. */
  rows: readonly (readonly [key: string, name: string])[]
  columns: readonly (readonly [key: string, name: string])[]
  /** Cells with a check box. Other places of the grid are empty. */
  cells: readonly GridCell[]
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
}

/**
 * Grid of check boxes, each with the name of its row and its column. The check box in the head of a
 * row or a column selects all cells of the row or column, or deselects all of them. Rows become
 * cards on narrow screens. The ARIA roles are explicit, because browsers drop the roles of table
 * elements that are shown as blocks.
 */
export function CheckGrid(props: CheckGridProps) {
  const { label, rowsTitle, rows, columns, cells, selected, onChange } = props
  const head = { selected, onChange }
  return (
    <table className={css['grid']} role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">
            {rowsTitle}
          </th>
          {columns.map(([column, name]) => (
            <th key={column} role="columnheader" scope="col">
              <HeadCheckBox
                {...head}
                text={name}
                label={`All rows: ${name}`}
                keys={keysOf(cells.filter((cell) => cell.column === column))}
              />
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(([row, name]) => (
          <tr key={row} role="row">
            <th role="rowheader" scope="row">
              <HeadCheckBox
                {...head}
                text={name}
                label={`${name}: all`}
                keys={keysOf(cells.filter((cell) => cell.row === row))}
              />
            </th>
            {columns.map(([column, columnName]) => (
              <td key={column} role="cell">
                <CellCheckBox
                  {...head}
                  cell={cells.find((cell) => cell.row === row && cell.column === column)}
                  text={columnName}
                  label={`${name}: ${columnName}`}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function keysOf(cells: readonly GridCell[]): string[] {
  return cells.map(({ key }) => key)
}

interface GridCheckBoxProps extends Pick<CheckGridProps, 'selected' | 'onChange'> {
  text: string
  label: string
}

/** Check box in the head of a row or a column, for all its cells. */
function HeadCheckBox(props: GridCheckBoxProps & { keys: readonly string[] }) {
  const { keys, text, label, selected, onChange } = props
  const count = keys.filter((key) => selected.has(key)).length
  return (
    <CheckBox
      label={label}
      isSelected={count > 0 && count === keys.length}
      isIndeterminate={count > 0 && count < keys.length}
      onChange={() => onChange(toggleAll(selected, keys))}
    >
      {text}
    </CheckBox>
  )
}

/** Check box of a cell. The name of the column is visible on narrow screens, which stack cells. */
function CellCheckBox(props: GridCheckBoxProps & { cell: GridCell | undefined }) {
  const { cell, text, label, selected, onChange } = props
  if (!cell) return null
  return (
    <CheckBox
      label={label}
      isSelected={selected.has(cell.key)}
      onChange={() => onChange(toggleKey(selected, cell.key))}
    >
      <span className={css['text']}>{text}</span>
    </CheckBox>
  )
}
