import { expect, test } from '@jest/globals'
import type { GetStatsResult } from '../../data/overview.ts'
import { accountFigures, countersWith, queueFigures } from './figures.ts'

const queue = { waiting: 2, active: 1, delayed: 3, failed: 0 }
const stats: GetStatsResult = {
  version: '1.0.0',
  license: '',
  accounts: 4,
  node: '',
  arch: '',
  postgres: '',
  postgresPing: 1,
  rabbitmq: true,
  queues: { notify: { ...queue, failed: 7 }, submit: queue },
  connections: {
    init: 0,
    connected: 3,
    connecting: 0,
    syncing: 0,
    authenticationError: 1,
    connectError: 0,
    unset: 0,
    disconnected: 0,
    paused: 0,
    unassigned: 0,
  },
  counters: { 'events:messageNew': 5, 'events:messageSent': 9, 'apiCall:success': 2 },
}

test('accountFigures: important states and states with accounts, each with its list', () => {
  const figures = accountFigures(stats)
  expect(figures.map(({ label, value, tone }) => [label, value, tone])).toEqual([
    ['Connected', 3, 'good'],
    ['Login fails', 1, 'bad'],
    ['Connection fails', 0, 'neutral'],
  ])
  expect(figures[1]).toMatchObject({ path: '/accounts', query: { state: 'authenticationError' } })
})

test('queueFigures: due work is waiting and delayed work, failed work is marked', () => {
  expect(queueFigures(stats).map(({ label, value, tone }) => [label, value, tone])).toEqual([
    ['Messages due', 5, 'neutral'],
    ['Messages failed', 0, 'neutral'],
    ['Deliveries due', 5, 'neutral'],
    ['Deliveries failed', 7, 'bad'],
  ])
})

test('countersWith: names without the prefix, largest first', () => {
  expect(countersWith(stats, 'events:')).toEqual([
    ['messageSent', 9],
    ['messageNew', 5],
  ])
})
