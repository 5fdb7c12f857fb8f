import { expect, test } from '@jest/globals'
import { readCopyUid } from './move.ts'
import type { Line } from '../tokens.ts'

function line(...values: string[]): Line {
  const section = values.map((value) => ({ type: 'ATOM', value }))
  return { command: 'OK', attributes: [{ type: 'ATOM', value: '', section }] }
}

test('readCopyUid: unordered sets, pairs them by position', () => {
  expect(readCopyUid(line('COPYUID', '9', '5,1:2', '20:22'), [[1, 5]])).toEqual({
    uidValidity: 9n,
    uidMap: new Map([
      [5, 20],
      [1, 21],
      [2, 22],
    ]),
  })
})

test.each([
  [['COPYUID', '9', '1:3', '11:12']],
  [['COPYUID', '9', '1:4294967295', '1:4294967295']],
  [['COPYUID', '9', '7', '1']],
  [['COPYUID', '9', '0', '1']],
  [['COPYUID', '9', '1,', '1:2']],
  [['COPYUID', '9', '', '']],
  [['COPYUID', '9', '1:*', '1:3']],
  [['COPYUID', '9']],
])('readCopyUid: %j, returns no map', (values) => {
  expect(readCopyUid(line(...values), [[1, 3]])).toEqual({ uidValidity: 9n })
})

test('readCopyUid: another or no response code, returns nothing', () => {
  expect(readCopyUid(line('APPENDUID', '9', '1'), [[1, 3]])).toEqual({})
  expect(readCopyUid(line('COPYUID', 'x', 'y', 'z'), [[1, 3]])).toEqual({})
  expect(readCopyUid({ command: 'OK' }, [[1, 3]])).toEqual({})
})
