import { expect, test } from '@jest/globals'
import { ByteBudget } from './byte-budget.ts'

const never = new AbortController().signal

/** Takes and notes when it was let in. */
function visitor(budget: ByteBudget, log: string[]) {
  return async (name: string, bytes: number, signal = never) => {
    const taken = await budget.take(bytes, signal)
    log.push(name)
    return taken
  }
}

test('who finds room is let in, the others in the order in which they came', async () => {
  const log: string[] = []
  const enter = visitor(new ByteBudget(10), log)
  const first = await enter('first', 6)
  const large = enter('large', 8)
  const small = enter('small', 1) // fits, and waits all the same: or the large one would wait for ever
  expect(log).toEqual(['first'])
  first[Symbol.dispose]()
  first[Symbol.dispose]() // only counts once
  const second = await large
  await small
  expect(log).toEqual(['first', 'large', 'small'])
  const last = enter('last', 2)
  second[Symbol.dispose]()
  await last
  expect(log).toHaveLength(4)
})

test('what is larger than all there is goes alone', async () => {
  const log: string[] = []
  const enter = visitor(new ByteBudget(10), log)
  const huge = await enter('huge', 1_000)
  const next = enter('next', 1)
  expect(log).toEqual(['huge'])
  huge[Symbol.dispose]()
  await next
  expect(log).toEqual(['huge', 'next'])
})

test('who gives up waits no more, and lets those behind go on', async () => {
  const log: string[] = []
  const enter = visitor(new ByteBudget(10), log)
  const first = await enter('first', 6)
  const impatience = new AbortController()
  const large = enter('large', 9, impatience.signal)
  const small = enter('small', 2)
  impatience.abort(new Error('enough'))
  await expect(large).rejects.toThrow('enough')
  await small
  expect(log).toEqual(['first', 'small'])
  first[Symbol.dispose]()
  await expect(enter('late', 1, impatience.signal)).rejects.toThrow('enough')
})
