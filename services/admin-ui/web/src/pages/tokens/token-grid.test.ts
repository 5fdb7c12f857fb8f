import { describe, expect, test } from '@jest/globals'
import { listTokenOperations } from '@posthorn/contracts/admin/token-operations'
import { permitsOperation } from '@posthorn/contracts/token-rights'
import { alsoPermitted, cellsOfRecord, gridCells, gridRows, recordOf } from './token-grid.ts'
import { presetOf, rightsOfPreset, tokenPresets } from './token-presets.ts'

const operations = listTokenOperations()
const cells = gridCells(operations)
const keys = cells.map(({ key }) => key)
const namesOf = (list: typeof cells) => list.map(({ name }) => name)

test('gridCells: each cell has operations, and names its group and action', () => {
  expect(namesOf(cells)).toEqual(
    expect.arrayContaining(['Message: read', 'Submit: send', 'Settings: read']),
  )
  expect(namesOf(cells)).not.toContain('Message: send')
  expect(namesOf(cells)).not.toContain('Settings: write')
  const rows = new Set(cells.map(({ row }) => row))
  expect(gridRows.map(([row]) => row).filter((row) => !rows.has(row))).toEqual([])
})

test('gridCells: the cells cover all operations that any record permits', () => {
  const record = { actions: ['read', 'write', 'send', 'destructive'] }
  const permitted = operations.filter((operation) => permitsOperation(record, operation))
  const ofCells = operations.filter((operation) =>
    cells.some(({ operation: { permission } }) => {
      const { action, group, byKey } = operation.permission
      return (
        permission.action === action && permission.group === group && permission.byKey === byKey
      )
    }),
  )
  expect(ofCells).toEqual(permitted)
})

test.each([
  [['message:read'], { actions: ['read'], groups: ['message'] }],
  [
    ['message:destructive', 'message:read'],
    { actions: ['read', 'destructive'], groups: ['message'] },
  ],
  [['submit:send', 'message:read'], { actions: ['read', 'send'], groups: ['message', 'submit'] }],
  [keys.filter((key) => key.endsWith(':read')), { actions: ['read'] }],
  [keys, { actions: ['read', 'write', 'send', 'destructive'] }],
] as const)('recordOf: of %j is %j, which permits exactly the chosen cells', (chosen, expected) => {
  const record = recordOf(new Set<string>(chosen), cells)
  expect(record).toEqual(expected)
  expect(cellsOfRecord(record, cells)).toEqual(new Set<string>(chosen))
  expect(alsoPermitted(new Set<string>(chosen), cells)).toEqual([])
})

test('recordOf: everything is a token without a record', () => {
  expect(recordOf('everything', cells)).toBeNull()
  expect(alsoPermitted('everything', cells)).toEqual([])
})

describe('alsoPermitted', () => {
  test('two groups with different actions: names the other cells of both groups', () => {
    const chosen = new Set(['message:read', 'outbox:write'])
    expect(namesOf(alsoPermitted(chosen, cells))).toEqual(['Message: write', 'Outbox: read'])
  })

  test('settings without the other groups: names the groups of the action', () => {
    const others = namesOf(alsoPermitted(new Set(['settings:read']), cells))
    expect(others).toContain('Account: read')
    expect(others).not.toContain('Submit: send')
  })
})

test.each(tokenPresets.map(({ name }) => name))(
  'presets: %s is recognized by its rights',
  (name) => {
    const rights = rightsOfPreset(name, cells)
    expect(presetOf(rights, cells)).toBe(name)
    const permissions = tokenPresets.find((each) => each.name === name)?.permissions
    expect(recordOf(rights, cells)).toEqual(permissions)
  },
)

test('presetOf: another choice is no preset', () => {
  expect(presetOf(new Set(['message:read']), cells)).toBeUndefined()
})
