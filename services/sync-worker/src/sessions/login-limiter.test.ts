import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { cacheAddresses, createLoginLimiter } from './login-limiter.ts'

/** Processor time of this process, in milliseconds: what others do on the machine does not count. */
const cpuMs = () => process.cpuUsage().user / 1_000

const never = new AbortController().signal
const limits = { perHost: 1, perSecond: 100_000, concurrent: 100 }
const noAddress = async () => undefined

/** Notes who is inside. */
function visits() {
  const order: string[] = []
  const leave = new Map<string, () => void>()
  return {
    order,
    leave: (name: string) => leave.get(name)?.(),
    note: (name: string) => (left: () => void) => {
      order.push(name)
      leave.set(name, left)
    },
  }
}

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await setImmediate()
}

test('more than the limit wait for their turn, in order, at that host alone', async () => {
  const turns = createLoginLimiter(limits, noAddress)
  const { order, leave, note } = visits()
  for (const name of ['first', 'second', 'third'])
    void turns.acquire('a.example', never).then(note(name))
  void turns.acquire('b.example', never).then(note('elsewhere'))
  await settle()
  expect(order.toSorted()).toEqual(['elsewhere', 'first'])
  leave('first')
  leave('first') // a second call must not let one more in
  await settle()
  expect(order.slice(2)).toEqual(['second'])
  leave('second')
  await settle()
  expect(order.slice(2)).toEqual(['second', 'third'])
})

test('two names of one machine share its turns; case makes no other host', async () => {
  const turns = createLoginLimiter(limits, async () => '192.0.2.1')
  const { order, leave, note } = visits()
  void turns.acquire('a.example', never).then(note('a'))
  void turns.acquire('b.example', never).then(note('b'))
  void turns.acquire('A.EXAMPLE', never).then(note('A'))
  await settle()
  expect(order).toEqual(['a'])
  leave('a')
  await settle()
  expect(order).toEqual(['a', 'b'])
})

test('a host behind a proxy has no address of ours', async () => {
  const turns = createLoginLimiter(limits, () => Promise.reject(new Error('must not be asked for')))
  const leave = await turns.acquire('a.example', never, { byName: true })
  leave()
})

test('all hosts together have a limit; who waits for it keeps nobody else from it', async () => {
  const turns = createLoginLimiter({ ...limits, perHost: 10, concurrent: 2 }, noAddress)
  const { order, leave, note } = visits()
  for (const host of ['a', 'b', 'c']) void turns.acquire(host, never).then(note(host))
  await settle()
  expect(order).toEqual(['a', 'b'])
  leave('b')
  await settle()
  expect(order).toEqual(['a', 'b', 'c'])
})

test('who gives up leaves the queue, wherever in it, and what was held', async () => {
  const turns = createLoginLimiter(limits, async () => '192.0.2.1')
  const impatient = new AbortController()
  const leave = await turns.acquire('a.example', never)
  const atHost = turns.acquire('a.example', impatient.signal)
  const atAddress = turns.acquire('b.example', impatient.signal)
  await settle()
  impatient.abort()
  await expect(atHost).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(atAddress).rejects.toMatchObject({ kind: 'unavailable' })
  leave()
  for (const host of ['a.example', 'b.example']) (await turns.acquire(host, never))()
  await expect(turns.acquire('a.example', impatient.signal)).rejects.toThrow()
})

test('logins begin at a pace', async () => {
  const turns = createLoginLimiter({ perHost: 100, perSecond: 100, concurrent: 100 }, noAddress)
  const startedAt = performance.now()
  const all = Array.from({ length: 21 }, () => turns.acquire('a.example', never))
  const at = all.map(async (turn) => {
    await turn
    return performance.now() - startedAt
  })
  const times = await Promise.all(at)
  // Twenty of them 10 ms apart, but for the credit of 50 ms.
  expect(times.at(-1)).toBeGreaterThanOrEqual(140)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

test('ten thousand that wait and give up cost next to nothing', async () => {
  const turns = createLoginLimiter(limits, noAddress)
  const leave = await turns.acquire('a.example', never)
  const startedAt = cpuMs()
  const impatient = Array.from({ length: 10_000 }, () => new AbortController())
  const waiting = impatient.map(({ signal }) => turns.acquire('a.example', signal))
  for (const controller of impatient.toReversed()) controller.abort()
  const ends = await Promise.allSettled(waiting)
  expect(ends.every(({ status }) => status === 'rejected')).toBe(true)
  expect(cpuMs() - startedAt).toBeLessThan(10_000)
  leave()
})

test('an address is asked for once, is the same whatever the order, and none where there is none', async () => {
  const asked: string[] = []
  const addressOf = cacheAddresses(async (host) => {
    asked.push(host)
    if (host === 'none.example') throw new Error('ENOTFOUND')
    const addresses = ['192.0.2.7', '192.0.2.3'] as const
    return addresses.map((address) => ({ address, family: 4 }))
  })
  expect(await addressOf('a.example', never)).toBe('192.0.2.3')
  expect(await addressOf('a.example', never)).toBe('192.0.2.3')
  expect(await addressOf('none.example', never)).toBeUndefined()
  expect(asked).toEqual(['a.example', 'none.example'])
})
