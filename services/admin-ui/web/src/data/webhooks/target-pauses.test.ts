import { expect, test } from '@jest/globals'
import { withPause } from './target-pauses.ts'

const address = 'https://a.example/'
const other = { target: 'https://b.example/hook', concurrency: 2 }

test('withPause: pauses a target without options, and removes its entry at the end', () => {
  const paused = withPause([], { address, paused: true })
  expect(paused).toEqual([{ target: address, paused: true }])
  expect(withPause(paused ?? [], { address, paused: false })).toBeNull()
})

test('withPause: keeps the other options of the target and the other targets', () => {
  const slow = { target: 'https://a.example', rate: 1 }
  const paused = withPause([slow, other], { address, paused: true })
  expect(paused).toEqual([{ ...slow, paused: true }, other])
  expect(withPause(paused ?? [], { address, paused: false })).toEqual([slow, other])
})

test('withPause: the end of a pause adds no entry', () => {
  expect(withPause([other], { address, paused: false })).toEqual([other])
})
