import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { applyLiveFrames } from './apply-frames.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

function start() {
  const calls: string[] = []
  const frames = applyLiveFrames({
    set: (key, data) => calls.push(`set ${key.join('/')} ${JSON.stringify(data)}`),
    refresh: (key) => calls.push(`refresh ${key.join('/')}`),
  })
  return { ...frames, take: () => calls.splice(0) }
}

test('figures and workers: replace the data of the page', () => {
  const { onFrame, take } = start()
  onFrame({ event: 'figures', data: { accounts: 1 } })
  onFrame({ event: 'workers', data: { workers: [] } })
  onFrame({ event: 'unknown', data: 1 })
  expect(take()).toEqual(['set stats {"accounts":1}', 'set workers {"workers":[]}'])
})

test('changes: load the list and the changed accounts again', () => {
  const { onFrame, take } = start()
  const data = [
    { account: 'a', type: 'state', state: 'connected' },
    { account: 'a', type: 'address' },
    { account: null, type: 'smtpServerState', state: 'listening' },
  ]
  onFrame({ event: 'changes', data })
  expect(take()).toEqual(['refresh accounts/list', 'refresh accounts/one/a'])
})

test('changes all the time: a list is loaded every 3 s, and once after the last change', () => {
  const { onFrame, take } = start()
  for (let ms = 0; ms < 6_000; ms += 100) {
    onFrame({ event: 'refresh', data: ['outbox', 'deliveries'] })
    jest.advanceTimersByTime(100)
  }
  const loads = take().filter((call) => call === 'refresh outbox')
  expect(loads).toHaveLength(3)
  jest.advanceTimersByTime(60_000)
  expect(take()).toEqual([])
})

test('live again: loads the lists of the topics again', () => {
  const { onLive, take } = start()
  onLive(['changes', 'figures', 'outbox'])
  expect(take()).toEqual(['refresh accounts/list', 'refresh accounts/one', 'refresh outbox'])
})

test('too many changes for a frame: load the list and each open account again', () => {
  const { onFrame, take } = start()
  onFrame({ event: 'refresh', data: ['changes'] })
  expect(take()).toEqual(['refresh accounts/list', 'refresh accounts/one'])
})
