import { describe, expect, test } from '@jest/globals'
import type { MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { abortable } from '@posthorn/flow'
import { CommandPool } from './command-pool.ts'
import type { ConnectionRequest } from './connection-request.ts'
import { IdleConnections } from './idle-connections.ts'
import { NamedSession, nameOf, waits } from './named-session.ts'
import { SessionLoans } from './session-loans.ts'

const session = (name: string) => new NamedSession(name)

describe('SessionLoans', () => {
  test('lends the connection to one after the other, FIFO, and interrupts the sync for each', async () => {
    let interrupts = 0
    const loans = new SessionLoans(() => interrupts++)
    const { signal } = new AbortController()
    const [first, second] = [loans.borrow(signal), loans.borrow(signal)]
    expect(interrupts).toBe(2)
    const lending = loans.lend(session('sync').mail)
    const loan = await first
    expect(await waits(second)).toBe(true)
    loan.release()
    const next = await second
    expect(await waits(lending)).toBe(true)
    next.release()
    expect(await lending).toBe(true)
    expect(await loans.lend(session('sync').mail)).toBe(false)
  })

  test('a cancelled wait is skipped', async () => {
    const loans = new SessionLoans(() => undefined)
    const cancelled = new AbortController()
    const waiting = loans.borrow(cancelled.signal)
    cancelled.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    expect(await loans.lend(session('sync').mail)).toBe(false)
  })

  test('a lost connection ends the loan; others wait for the next connection', async () => {
    const loans = new SessionLoans(() => undefined)
    const { signal } = new AbortController()
    const [first, second] = [loans.borrow(signal), loans.borrow(signal)]
    const lost = session('lost')
    const lending = loans.lend(lost.mail)
    await first
    lost.lose()
    expect(await lending).toBe(true)
    const again = loans.lend(session('next').mail)
    const { session: mail, release } = await second
    expect(nameOf(mail)).toBe('next')
    release()
    expect(await again).toBe(true)
  })
})

describe('CommandPool: while the login limits delay its first connection', () => {
  /**
   * Creates a pool of IMAP connections whose logins wait until the test calls `admit`. An aborted
   * login ends when the promise `aborted` resolves.
   */
  function delayedPool({ max = 2, aborted = Promise.resolve() } = {}) {
    const { promise: permit, resolve: admit } = Promise.withResolvers<void>()
    const loans = new SessionLoans(() => undefined)
    let logins = 0
    const pool = new CommandPool({
      max,
      idle: new IdleConnections(100),
      idleMs: 60_000,
      borrow: (signal) => loans.borrow(signal),
      async connect(signal, { onWait, onTurn }) {
        onWait?.()
        await abortable(permit, signal).catch(async (error: unknown) => {
          await aborted
          throw error
        })
        onTurn?.()
        logins++
        return session('own').mail
      },
    })
    const { signal } = new AbortController()
    const run = (
      request: Partial<ConnectionRequest>,
      work = async (mail: MailSession) => nameOf(mail),
    ) => pool.run({ signal, ...request }, work)
    return { pool, loans, admit, run, logins: () => logins }
  }

  test('a read borrows the connection that syncs, and needs no login', async () => {
    const { pool, loans, admit, run, logins } = delayedPool()
    await using _pool = pool
    const reading = run({ mayBorrow: true })
    expect(await waits(reading)).toBe(true)
    const lending = loans.lend(session('sync').mail)
    expect(await reading).toBe('sync')
    expect(await lending).toBe(true)
    admit()
    expect(await run({ mayBorrow: true })).toBe('own')
    expect(logins()).toBe(1)
  })

  test('a read that got its own connection borrows none', async () => {
    const { pool, loans, admit, run } = delayedPool()
    await using _pool = pool
    const reading = run({ mayBorrow: true })
    admit()
    expect(await reading).toBe('own')
    expect(await loans.lend(session('sync').mail)).toBe(false)
  })

  test('other requests never borrow', async () => {
    const { pool, loans, admit, run } = delayedPool()
    await using _pool = pool
    const writing = run({})
    expect(await waits(writing)).toBe(true)
    expect(await loans.lend(session('sync').mail)).toBe(false)
    admit()
    expect(await writing).toBe('own')
  })

  test('a read that loses the borrowed connection is repeated on its own', async () => {
    const { pool, loans, admit, run } = delayedPool()
    await using _pool = pool
    const lost = session('sync')
    const reading = run({ mayBorrow: true }, async (mail) => {
      if (nameOf(mail) === 'own') return 'own'
      lost.lose()
      throw new AppError('unreachable', 'lost')
    })
    expect(await loans.lend(lost.mail)).toBe(true)
    admit()
    expect(await reading).toBe('own')
  })

  test('a login that ends late after a loan, lets the next request connect', async () => {
    const { promise: aborted, resolve: endLogin } = Promise.withResolvers<void>()
    const { pool, loans, admit, run } = delayedPool({ max: 1, aborted })
    await using _pool = pool
    const reading = run({ mayBorrow: true })
    expect(await waits(reading)).toBe(true)
    const writing = run({})
    expect(await loans.lend(session('sync').mail)).toBe(true)
    expect(await reading).toBe('sync')
    expect(await waits(writing)).toBe(true)
    admit()
    endLogin()
    expect(await writing).toBe('own')
  })

  test('concurrent reads take turns on the borrowed connection', async () => {
    const { pool, loans, run } = delayedPool()
    await using _pool = pool
    let running = 0
    const work = async (mail: MailSession) => {
      running++
      await Promise.resolve()
      expect(running).toBe(1)
      running--
      return nameOf(mail)
    }
    const readings = [run({ mayBorrow: true }, work), run({ mayBorrow: true }, work)]
    expect(await waits(Promise.all(readings))).toBe(true)
    expect(await loans.lend(session('sync').mail)).toBe(true)
    expect(await Promise.all(readings)).toEqual(['sync', 'sync'])
  })
})
