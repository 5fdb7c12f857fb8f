import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, jest, test } from '@jest/globals'
import { releaseStartMemory } from './release-start-memory.ts'

afterEach(() => void jest.useRealTimers())

const unusedObject = () => new WeakRef({ size: 1 })

test('releaseStartMemory: collects garbage once the service has settled and is idle', async () => {
  const object = unusedObject()
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  const utilizations = [0.9, 0.2, 0.1]
  releaseStartMemory(() => utilizations.shift() ?? Number.NaN)
  jest.advanceTimersByTime(14_999)
  // A weak reference keeps its object until the end of the turn in which it was made or read.
  await nextTurn()
  expect(utilizations).toEqual([0.1])
  jest.advanceTimersByTime(1)
  await nextTurn()
  expect(object.deref()).toBeUndefined()
  expect(jest.getTimerCount()).toBe(0)
})
