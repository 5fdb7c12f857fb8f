import { expect, test } from '@jest/globals'
import { ExportTurns } from './export-turns.ts'

const { signal } = new AbortController()
const idle = { isSyncDue: () => false, signal }

test('ExportTurns: two accounts at a time, in the order of their requests', async () => {
  using turns = new ExportTurns()
  const order: string[] = []
  const take = async (account: string) => {
    const permit = await turns.take({ account, ...idle })
    order.push(account)
    return permit
  }
  const running = [take('a'), take('b'), take('c'), take('d')]
  const [first, second] = await Promise.all(running.slice(0, 2))
  expect(order).toEqual(['a', 'b'])
  first?.[Symbol.dispose]()
  const third = await running[2]
  second?.[Symbol.dispose]()
  third?.[Symbol.dispose]()
  await running[3]
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('ExportTurns: a second export of an account, does not take the turn of another account', async () => {
  using turns = new ExportTurns()
  const first = await turns.take({ account: 'a', ...idle })
  let isTaken = false
  const second = turns.take({ account: 'a', ...idle }).then((permit) => {
    isTaken = true
    return permit
  })
  const other = await turns.take({ account: 'b', ...idle })
  expect(isTaken).toBe(false)
  first[Symbol.dispose]()
  ;(await second)[Symbol.dispose]()
  other[Symbol.dispose]()
})

test('ExportTurns: sync of the account is due, waits for its end', async () => {
  using turns = new ExportTurns()
  let checks = 0
  const isSyncDue = () => ++checks < 3
  await turns.take({ account: 'a', isSyncDue, signal })
  expect(checks).toBe(3)
})

test('ExportTurns: aborted while waiting, takes nothing', async () => {
  using turns = new ExportTurns()
  const stop = new AbortController()
  const waiting = turns.take({ account: 'a', isSyncDue: () => true, signal: stop.signal })
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  await turns.take({ account: 'a', ...idle })
})

test('ExportTurns: sync becomes due during a turn, the turn pauses', async () => {
  using turns = new ExportTurns()
  let isDue = false
  let checks = 0
  const isSyncDue = () => isDue && ++checks < 3
  using turn = await turns.take({ account: 'a', isSyncDue, signal })
  await turn.pause()
  expect(checks).toBe(0)
  isDue = true
  await turn.pause()
  expect(checks).toBe(3)
})
