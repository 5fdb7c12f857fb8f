import { expect, jest, test } from '@jest/globals'
import { TaskGroup } from './task-group.ts'

test('TaskGroup.drain: waits for running tasks and those added meanwhile', async () => {
  const group = new TaskGroup()
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  group.run(first.promise.then(() => group.run(second.promise)))
  expect(group.size).toBe(1)
  let drained = false
  const draining = group.drain().then(() => (drained = true))
  first.resolve()
  await new Promise(setImmediate)
  expect(drained).toBe(false)
  second.resolve()
  await draining
  expect(group.size).toBe(0)
})

test('TaskGroup.drain: without tasks, resolves immediately', async () => {
  await new TaskGroup().drain()
})

test('TaskGroup: passes rejections to onError and counts the task as finished', async () => {
  const onError = jest.fn()
  {
    await using group = new TaskGroup({ onError })
    group.run(Promise.reject(new Error('no')))
  }
  expect(onError).toHaveBeenCalledWith(new Error('no'))
})

test('TaskGroup: without onError, ignores rejections', async () => {
  const group = new TaskGroup()
  group.run(Promise.reject(new Error('no')))
  await group.drain()
  expect(group.size).toBe(0)
})
