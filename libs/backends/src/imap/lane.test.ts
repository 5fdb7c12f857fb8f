import { expect, test } from '@jest/globals'
import { Lane } from './lane.ts'

test('work runs in the order in which it came, one at a time, also after a failure', async () => {
  const lane = new Lane()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await Promise.resolve()
    seen.push(`${name} ends`)
    if (name === 'a') throw new Error('a')
  }
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => lane.run(work(name))))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('whoever holds the lane hears that somebody waits, before or after asking', async () => {
  const lane = new Lane()
  let calls = 0
  let waiting: Promise<void> | undefined
  await lane.run(async () => {
    const undo = lane.onWanted(() => calls++)
    expect(calls).toBe(0)
    waiting = lane.run(async () => {})
    expect(calls).toBe(1)
    undo()
    lane.onWanted(() => calls++)()
    expect(calls).toBe(2)
  })
  await waiting
})
