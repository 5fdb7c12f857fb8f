import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { AccountDemand, type LoginFor, LoginGate } from './login-gate.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const freshSignal = () => new AbortController().signal

/**
 * Login gate (limit of logins at one host or address) that records the names of admitted logins.
 */
function testGate(options: { capacity?: number; perSecond?: number } = {}) {
  const gate = new LoginGate({ capacity: 1_000, ...options })
  const admitted: string[] = []
  const permits = new Map<string, Disposable>()
  const start = (name: string, loginFor: LoginFor, signal = freshSignal()) =>
    void gate.acquire({ signal, loginFor }).then(
      (permit) => {
        admitted.push(name)
        permits.set(name, permit)
      },
      () => undefined,
    )
  const finish = (name: string) => permits.get(name)?.[Symbol.dispose]()
  return { gate, admitted, start, finish }
}

describe('LoginGate', () => {
  test('commands come before sessions that waited longer', async () => {
    const { admitted, start } = testGate({ perSecond: 1 })
    for (const name of ['session 1', 'session 2']) start(name, 'sync')
    start('command', 'command')
    await jest.advanceTimersByTimeAsync(3_000)
    expect(admitted).toEqual(['session 1', 'command', 'session 2'])
  })

  test('while both wait, commands start two logins of three', async () => {
    const { admitted, start } = testGate({ perSecond: 1 })
    for (let n = 0; n < 9; n++) start('command', 'command')
    for (let n = 0; n < 9; n++) start('session', 'sync')
    await jest.advanceTimersByTimeAsync(8_900)
    expect(admitted.filter((name) => name === 'command')).toHaveLength(6)
    expect(admitted.filter((name) => name === 'session')).toHaveLength(3)
  })

  test('a session is next once a command waits for its account, also if it waits already', async () => {
    const { admitted, start } = testGate({ perSecond: 1 })
    const demands = Array.from({ length: 5 }, () => new AccountDemand())
    for (const [n, demand] of demands.entries()) start(`session ${n}`, demand)
    demands[3]?.ask()
    const late = new AccountDemand()
    late.ask()
    start('late', late)
    await jest.advanceTimersByTimeAsync(6_000)
    const others = ['session 1', 'session 2', 'session 4']
    expect(admitted).toEqual(['session 0', 'session 3', 'late', ...others])
  })

  test('a third of the concurrent logins is for commands', async () => {
    const { admitted, start, finish } = testGate({ capacity: 10 })
    for (let n = 0; n < 10; n++) start(`session ${n}`, 'sync')
    await jest.advanceTimersByTimeAsync(0)
    expect(admitted).toHaveLength(6)
    for (let n = 0; n < 5; n++) start(`command ${n}`, 'command')
    await jest.advanceTimersByTimeAsync(0)
    expect(admitted.slice(6)).toEqual(['command 0', 'command 1', 'command 2', 'command 3'])
    finish('session 0')
    finish('session 0') // second disposal of a permit, which must not admit another login
    await jest.advanceTimersByTimeAsync(0)
    expect(admitted.slice(10)).toEqual(['session 6'])
    finish('command 0')
    await jest.advanceTimersByTimeAsync(0)
    expect(admitted.slice(11)).toEqual(['command 4'])
  })

  test('capacity 1: sessions and commands take turns', async () => {
    const { admitted, start, finish } = testGate({ capacity: 1 })
    start('session', 'sync')
    start('command', 'command')
    await jest.advanceTimersByTimeAsync(0)
    expect(admitted).toEqual(['session'])
    finish('session')
    await jest.advanceTimersByTimeAsync(0)
    expect(admitted).toEqual(['session', 'command'])
  })

  test('an aborted wait leaves its queue', async () => {
    const { gate, admitted, start, finish } = testGate({ capacity: 1 })
    const cancelled = new AbortController()
    start('first', 'command')
    start('cancelled', 'command', cancelled.signal)
    start('last', 'command')
    await jest.advanceTimersByTimeAsync(0)
    cancelled.abort()
    finish('first')
    await jest.advanceTimersByTimeAsync(0)
    expect(admitted).toEqual(['first', 'last'])
    finish('last')
    expect(gate.isIdle).toBe(true)
  })

  test('onWait is called for logins that are not admitted immediately', async () => {
    const gate = new LoginGate({ capacity: 1 })
    const waits: string[] = []
    const acquire = (name: string) =>
      gate.acquire({
        signal: freshSignal(),
        loginFor: 'command',
        onWait: () => void waits.push(name),
      })
    using _permit = await acquire('first')
    void acquire('second')
    expect(waits).toEqual(['second'])
  })
})
