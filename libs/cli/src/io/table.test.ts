import { expect, test } from '@jest/globals'
import { TableFormat, widthOf } from './table.ts'

interface Row {
  id: string
  note?: string | null
}
const columns = [
  { title: 'ID', text: ({ id }: Row) => id },
  { title: 'NOTE', text: ({ note }: Row) => note },
]

test('TableFormat: aligns the columns, keeps the widths of the first rows', () => {
  const table = new TableFormat<Row>(columns)
  expect(table.format([{ id: 'anna', note: 'first' }, { id: 'b' }])).toEqual([
    'ID    NOTE',
    'anna  first',
    'b     -',
  ])
  expect(table.format([{ id: 'christina', note: 'x' }])).toEqual(['chr…  x'])
})

test('TableFormat: removes control characters, which could change the terminal', () => {
  const [, line = ''] = new TableFormat<Row>(columns).format([
    { id: 'a\u001b[31mred', note: 'two\nlines\u202e' },
  ])
  expect(line).toBe('a\u{fffd}[31mred  two lines\u{fffd}')
})

test('TableFormat: cuts lines at the width of the terminal', () => {
  const table = new TableFormat<Row>(columns, { lineWidth: 12 })
  expect(table.format([{ id: 'a', note: 'x'.repeat(100) }])).toEqual(['ID  NOTE', 'a   xxxxxxx…'])
})

test.each([
  [4, 'anna'],
  [6, 'anna'],
  [7, 'anna  …'],
  [8, 'anna  x…'],
])('TableFormat: an id is whole on a terminal of %d columns', (lineWidth, line) => {
  const keys = [{ title: 'ID', isKey: true, text: ({ id }: Row) => id }, ...columns.slice(1)]
  const [, row] = new TableFormat<Row>(keys, { lineWidth }).format([{ id: 'anna', note: 'xxxx' }])
  expect(row).toBe(line)
})

test('widthOf: counts wide characters twice', () => {
  expect(widthOf('abc')).toBe(3)
  expect(widthOf('日本')).toBe(4)
  expect(widthOf('👩‍👩‍👧')).toBe(2)
})
