import { expect, test } from '@jest/globals'
import { LogBacklog } from './backlog.ts'

const lines = (backlog: LogBacklog, max = 100) => backlog.peek(max).map(({ line }) => line)

test('LogBacklog.peek: returns lines in order, and again until they are removed', () => {
  const backlog = new LogBacklog({ perAccount: 10, totalCharacters: 1_000 })
  backlog.add('a', '1')
  backlog.add('a', '2')
  backlog.add('b', '3')
  expect(backlog.peek(2)).toEqual([
    { account: 'a', line: '1' },
    { account: 'a', line: '2' },
  ])
  const batch = backlog.peek(2)
  backlog.add('a', '4')
  backlog.remove(batch)
  expect(lines(backlog).sort()).toEqual(['3', '4'])
  backlog.remove(backlog.peek(100))
  expect(backlog.isEmpty).toBe(true)
})

test('LogBacklog: beyond the limit of an account, drops lines and reports their number in place', () => {
  const backlog = new LogBacklog({ perAccount: 2, totalCharacters: 1_000 })
  for (const line of ['1', '2', '3', '4']) backlog.add('noisy', line)
  backlog.add('quiet', 'x')
  const batch = backlog.peek(2)
  backlog.remove(batch)
  backlog.add('noisy', '5')
  expect([...batch.map(({ line }) => line), ...lines(backlog)]).toEqual([
    '1',
    '2',
    expect.stringMatching(/^2 lines were dropped/),
    '5',
    'x',
  ])
})

test('LogBacklog: reports dropped lines even if no line follows', () => {
  const backlog = new LogBacklog({ perAccount: 1, totalCharacters: 1_000 })
  backlog.add('a', '1')
  backlog.add('a', '2')
  backlog.remove([{ account: 'a', line: '1' }])
  expect(backlog.isEmpty).toBe(false)
  expect(lines(backlog)).toEqual([expect.stringMatching(/^1 lines were dropped/)])
})

test('LogBacklog: limits the characters of all accounts', () => {
  const backlog = new LogBacklog({ perAccount: 1_000, totalCharacters: 50 })
  for (let n = 0; n < 100; n++) backlog.add(`a${n % 10}`, 'ten chars!')
  const stored = lines(backlog, 1_000).filter((line) => line === 'ten chars!')
  expect(stored).toHaveLength(5)
})
