import type { TokenOperation } from '@posthorn/contracts/admin/token-operations'
import {
  permissionActions,
  permissionGroups,
  permitsOperation,
} from '@posthorn/contracts/token-rights'
import type { TokenPermissions } from '../../data/tokens.ts'

/** Cell of the grid of rights: an action on a group of operations. */
export interface RightsCell {
  key: string
  /** Group of operations, or `settings`. */
  row: string
  /** Action on the operations of the group. */
  column: TokenOperation['permission']['action']
  /** Name of the cell, such as `Message: read`. */
  name: string
  /** Operation of the cell. A permissions record permits all operations of a cell, or none. */
  operation: Pick<TokenOperation, 'permission'>
}

/**
 * Rights that a person has chosen for a token: keys of cells. `everything`: the token gets no
 * permissions record, so that all operations are permitted, also operations without a cell.
 */
export type ChosenRights = ReadonlySet<string> | 'everything'

/** Row of the operations on settings, which belong to no group of permissions records. */
const settingsRow = 'settings'

/** Permissions record that permits each operation that any record permits. */
const widestRecord = { actions: permissionActions }

/** Rows of the grid of rights by their keys, with their names. */
export const gridRows = [...permissionGroups, settingsRow].map((row) => [row, nameOf(row)] as const)

/** Columns of the grid of rights by their keys, with their names. */
export const gridColumns = permissionActions.map((action) => [action, action] as const)

function nameOf(row: string): string {
  return row.charAt(0).toUpperCase() + row.slice(1)
}

/** Cells of the grid of rights: all pairs of action and group that a record can permit. */
export function gridCells(operations: readonly TokenOperation[]): readonly RightsCell[] {
  const grantable = operations.filter((operation) => permitsOperation(widestRecord, operation))
  return gridRows.flatMap(([row, rowName]) =>
    permissionActions.flatMap((column) => {
      const operation = grantable.find(
        (each) => rowOf(each) === row && each.permission.action === column,
      )
      if (!operation) return []
      return [{ key: `${row}:${column}`, row, column, name: `${rowName}: ${column}`, operation }]
    }),
  )
}

function rowOf({ permission: { group, byKey } }: Pick<TokenOperation, 'permission'>): string {
  return byKey === true ? settingsRow : group
}

/** Cells that a permissions record permits. */
export function cellsOfRecord(
  record: TokenPermissions | null,
  cells: readonly RightsCell[],
): ReadonlySet<string> {
  const permitted = cells.filter(({ operation }) => permitsOperation(record, operation))
  return new Set(permitted.map(({ key }) => key))
}

/** Chosen cells of the grid of rights. If everything is chosen, all cells. */
export function cellsOfChoice(
  chosen: ChosenRights,
  cells: readonly RightsCell[],
): ReadonlySet<string> {
  return chosen === 'everything' ? cellsOfRecord(null, cells) : chosen
}

/**
 * Smallest permissions record that permits the chosen rights. Null: everything is permitted. Only
 * records without a list of groups permit reading settings.
 */
export function recordOf(
  chosen: ChosenRights,
  cells: readonly RightsCell[],
): TokenPermissions | null {
  if (chosen === 'everything') return null
  const permitted = cells.filter(({ key }) => chosen.has(key))
  const actions = permissionActions.filter((action) =>
    permitted.some(({ column }) => column === action),
  )
  const groups = permissionGroups.filter((group) => permitted.some(({ row }) => row === group))
  return permitted.some(({ row }) => row === settingsRow) ? { actions } : { actions, groups }
}

/**
 * Cells that a token with the chosen rights would also permit. A permissions record permits each of
 * its actions on each of its groups, so that not every choice of cells is possible.
 */
export function alsoPermitted(
  chosen: ChosenRights,
  cells: readonly RightsCell[],
): readonly RightsCell[] {
  const record = recordOf(chosen, cells)
  const selected = cellsOfChoice(chosen, cells)
  return cells.filter(
    ({ key, operation }) => !selected.has(key) && permitsOperation(record, operation),
  )
}
