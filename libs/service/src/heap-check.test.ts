import { totalmem } from 'node:os'
import { expect, test } from '@jest/globals'
import type { Logger } from '@posthorn/telemetry'
import { checkHeapLimit } from './heap-check.ts'

const mb = 1024 * 1024

function warningsOf(heapMb: number, containerBytes: number): object[] {
  const warnings: object[] = []
  const log = { warn: (fields: object) => void warnings.push(fields) } as unknown as Logger
  checkHeapLimit(log, { heapBytes: heapMb * mb, containerBytes })
  return warnings
}

test.each([
  ['no limit', 4_000, 0],
  ['limit above the memory of the machine', 4_000, totalmem() + 1],
  ['heap and 64 MB fit', 192, 256 * mb],
])('checkHeapLimit: %s, no warning', (_title, heapMb, containerBytes) => {
  expect(warningsOf(heapMb, containerBytes)).toEqual([])
})

test('checkHeapLimit: heap and 64 MB exceed the limit, warns with both figures', () => {
  expect(warningsOf(193, 256 * mb)).toEqual([{ heapMb: 193, containerMb: 256 }])
})
