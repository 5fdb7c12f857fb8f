import { afterEach, expect, jest, test } from '@jest/globals'
import { UnavailableError } from '@posthorn/errors'
import { OutageDetector } from './outage-detector.ts'

afterEach(() => void jest.useRealTimers())

/**
 * Outage detector (of Postgres) on a fake clock, with 300 ms of silence and 1,200 ms for a probe.
 */
function createDetector() {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  const probes: PromiseWithResolvers<void>[] = []
  const changes: boolean[] = []
  const detector = new OutageDetector({
    maxSilenceMs: 300,
    maxProbeMs: 1_200,
    probe() {
      const probe = Promise.withResolvers<void>()
      probes.push(probe)
      return probe.promise
    },
    onChange: (isOutage) => void changes.push(isOutage),
    clock: Date.now,
  })
  /** Advances the fake clock of the outage detector and runs the callbacks of its timers. */
  const pass = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms)
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return { detector, probes, changes, pass }
}

/** Postgres operation that never ends. */
const never = () => new Promise<never>(() => undefined)

test('OutageDetector: without a response to the probe, operations end and later ones fail immediately', async () => {
  const { detector, probes, changes, pass } = createDetector()
  const waiting = detector.guard(never).catch((error: unknown) => error)
  await pass(300)
  expect(probes).toHaveLength(1)
  expect(detector.isOutage).toBe(false)
  await pass(1_200)
  expect(await waiting).toBeInstanceOf(UnavailableError)
  expect(() => void detector.guard(async () => 1)).toThrow('Postgres does not respond')
  expect(changes).toEqual([true])
  detector.stop()
})

test('OutageDetector: a slow operation continues while Postgres responds to probes', async () => {
  const { detector, probes, changes, pass } = createDetector()
  const slow = Promise.withResolvers<string>()
  const waiting = detector.guard(() => slow.promise)
  for (let count = 1; count <= 3; count += 1) {
    await pass(300)
    expect(probes).toHaveLength(count)
    probes[count - 1]?.resolve()
    await pass(0)
  }
  slow.resolve('rows')
  expect(await waiting).toBe('rows')
  expect(changes).toEqual([])
  detector.stop()
})

test('OutageDetector: responses to other operations make a probe unnecessary', async () => {
  const { detector, probes, pass } = createDetector()
  detector.guard(never).catch(() => undefined)
  for (let count = 0; count < 5; count += 1) {
    await pass(200)
    detector.responded()
  }
  expect(probes).toEqual([])
  detector.stop()
})

test('OutageDetector: a response during a failing probe prevents an outage', async () => {
  const { detector, probes, changes, pass } = createDetector()
  detector.guard(never).catch(() => undefined)
  await pass(300)
  detector.responded()
  probes[0]?.reject(new Error('refused'))
  await pass(0)
  expect(changes).toEqual([])
  detector.stop()
})

test('OutageDetector: probes continue without operations until Postgres responds', async () => {
  const { detector, probes, changes, pass } = createDetector()
  detector.guard(never).catch(() => undefined)
  await pass(300)
  probes[0]?.reject(new Error('refused'))
  await pass(0)
  expect(changes).toEqual([true])
  await pass(250)
  probes[1]?.reject(new Error('refused'))
  await pass(0)
  await pass(250)
  expect(probes).toHaveLength(3)
  probes[2]?.resolve()
  await pass(0)
  expect(changes).toEqual([true, false])
  expect(await detector.guard(async () => 'rows')).toBe('rows')
  await pass(10_000)
  expect(probes).toHaveLength(3)
  detector.stop()
})

test('OutageDetector: an outage that a confirmation found ends when Postgres responds again', async () => {
  const { detector, probes, changes, pass } = createDetector()
  const confirmed = detector.confirm().catch((error: unknown) => error)
  await pass(1_200)
  expect(await confirmed).toBeInstanceOf(UnavailableError)
  expect(changes).toEqual([true])
  while (probes.length < 2) await pass(100)
  probes[1]?.resolve()
  await pass(0)
  expect(changes).toEqual([true, false])
  expect(await detector.guard(async () => 'rows')).toBe('rows')
  detector.stop()
})

test('OutageDetector: an operation that starts during a confirmation is watched', async () => {
  const { detector, probes, pass } = createDetector()
  const confirmed = detector.confirm()
  const waiting = detector.guard(never).catch((error: unknown) => error)
  probes[0]?.resolve()
  await pass(0)
  await confirmed
  await pass(300)
  expect(probes).toHaveLength(2)
  await pass(1_200)
  expect(await waiting).toBeInstanceOf(UnavailableError)
  detector.stop()
})
