import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, jest, test } from '@jest/globals'
import { releaseStartMemory } from './release-start-memory.ts'

afterEach(() => void jest.useRealTimers())

const unusedObject = () => new WeakRef({ size: 1 })

test('releaseStartMemory: collects garbage once the service has settled', async () => {
  const object = unusedObject()
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  releaseStartMemory()
  jest.advanceTimersByTime(4_999)
  // JavaScript: a weak reference keeps its object until the end of the turn in which the reference
  // was made or read.
  await nextTurn()
  jest.advanceTimersByTime(1)
  await nextTurn()
  expect(object.deref()).toBeUndefined()
})
