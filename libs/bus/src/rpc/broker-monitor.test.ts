import { afterEach, expect, jest, test } from '@jest/globals'
import { BrokerMonitor } from './broker-monitor.ts'

afterEach(() => void jest.useRealTimers())

/** Broker monitor (detector of a silent RabbitMQ) of one request on a fake clock. */
function createMonitor() {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  const state = { isWaiting: true, canSend: true, echoes: 0 }
  const changes: boolean[] = []
  const monitor = new BrokerMonitor({
    isWaiting: () => state.isWaiting,
    sendEcho() {
      if (state.canSend) state.echoes += 1
      return state.canSend
    },
    onChange: (isSilent) => void changes.push(isSilent),
  })
  const pass = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms)
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return { monitor, state, changes, pass }
}

test('BrokerMonitor: without the echo, the broker is silent until a frame arrives', async () => {
  const { monitor, state, changes, pass } = createMonitor()
  monitor.watch()
  await pass(500)
  expect(state.echoes).toBe(1)
  expect(monitor.isSilent).toBe(false)
  await pass(1_000)
  expect(monitor.isSilent).toBe(true)
  // All RPC requests have failed. Further echo messages detect that the broker delivers again.
  state.isWaiting = false
  await pass(3_000)
  expect(state.echoes).toBeGreaterThanOrEqual(4)
  expect(changes).toEqual([true])
  monitor.received()
  expect(changes).toEqual([true, false])
})

test('BrokerMonitor: a request that takes long sends one echo after each silence', async () => {
  const { monitor, state, changes, pass } = createMonitor()
  monitor.watch()
  for (let count = 1; count <= 3; count += 1) {
    await pass(500)
    expect(state.echoes).toBe(count)
    monitor.received()
  }
  state.isWaiting = false
  await pass(500)
  expect(state.echoes).toBe(3)
  expect(changes).toEqual([])
})

test('BrokerMonitor: sends no echo while the broker takes no messages, and continues later', async () => {
  const { monitor, state, changes, pass } = createMonitor()
  state.canSend = false
  monitor.watch()
  await pass(5_000)
  expect(changes).toEqual([])
  state.canSend = true
  await pass(500)
  expect(state.echoes).toBe(1)
  await pass(1_000)
  expect(changes).toEqual([true])
  monitor.reset()
  expect(monitor.isSilent).toBe(false)
})
