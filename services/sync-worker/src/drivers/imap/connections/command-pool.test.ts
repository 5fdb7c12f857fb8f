import { afterEach, expect, test } from '@jest/globals'
import type { MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { CommandPool } from './command-pool.ts'
import { IdleConnections } from './idle-connections.ts'
import { NamedSession, nameOf as sessionName, waits } from './named-session.ts'

const pools: CommandPool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool[Symbol.asyncDispose]()))
})

/**
 * Pool of command connections, with the connections that the pool opened. The fake server accepts
 * up to `room` connections.
 */
function testPool({
  max = 4,
  room = Infinity,
  idleMs = 60_000,
  idle = new IdleConnections(100),
} = {}) {
  const opened: NamedSession[] = []
  let open = 0
  const server = { room }
  const pool = new CommandPool({
    max,
    idleMs,
    borrow: () => Promise.reject(new Error('no session')),
    idle,
    connect: async () => {
      await Promise.resolve()
      if (open >= server.room) throw new AppError('unreachable', 'Too many', { code: 'LIMIT' })
      open++
      const session = new NamedSession(`s${opened.length}`)
      void session.closed.then(() => open--)
      opened.push(session)
      return session.mail
    },
  })
  pools.push(pool)
  const signal = new AbortController().signal
  const borrow = (errand: object = {}) => pool.acquire({ signal, ...errand })
  return { pool, opened, server, borrow, signal }
}

const nameOf = ({ session }: { session: MailSession }) => sessionName(session)

test('CommandPool.acquire: connects on demand up to max, then waits', async () => {
  const { opened, borrow } = testPool({ max: 2 })
  const first = await borrow()
  await borrow()
  const third = borrow()
  const fourth = borrow()
  expect(await waits(third)).toBe(true)
  expect(opened).toHaveLength(2)
  first.release()
  expect(nameOf(await third)).toBe('s0')
  expect(await waits(fourth)).toBe(true)
  ;(await third).release()
  expect(nameOf(await fourth)).toBe('s0')
})

test('CommandPool.acquire: concurrent requests never share a connection', async () => {
  const { opened, borrow } = testPool({ max: 3 })
  const first = await borrow()
  const others = await Promise.all([borrow(), borrow()])
  const late = [borrow(), borrow()] as const
  first.release()
  const served = [...others, await late[0]].map((one) => nameOf(one))
  expect(new Set(served).size).toBe(3)
  expect(await waits(late[1])).toBe(true)
  expect(opened).toHaveLength(3)
  others[0]?.release()
  await late[1]
})

test('CommandPool.acquire: prefers the connection with the mailbox, else the last used', async () => {
  const { borrow } = testPool()
  const a = await borrow({ mailbox: 'A' })
  const b = await borrow({ mailbox: 'B' })
  a.release()
  b.release()
  const again = await borrow({ mailbox: 'A' })
  expect(nameOf(again)).toBe('s0')
  again.release()
  const other = await borrow({ mailbox: 'C' })
  expect(nameOf(other)).toBe('s0')
  other.release()
  expect(nameOf(await borrow({ mailbox: 'A' }))).toBe('s0')
})

test('CommandPool.acquire: longRunning leaves one connection free', async () => {
  const { borrow } = testPool({ max: 3 })
  const long = [await borrow({ longRunning: true }), await borrow({ longRunning: true })]
  const third = borrow({ longRunning: true })
  expect(await waits(third)).toBe(true)
  const quick = await borrow()
  expect(nameOf(quick)).toBe('s2')
  quick.release()
  expect(await waits(third)).toBe(true)
  long[0]?.release()
  expect(nameOf(await third)).toBe('s0')
})

test('CommandPool.acquire: consumerPaced leaves one connection to other longRunning requests', async () => {
  const { borrow } = testPool({ max: 4 })
  const paced = { longRunning: true, consumerPaced: true }
  const first = await borrow(paced)
  await borrow(paced)
  const third = borrow(paced)
  expect(await waits(third)).toBe(true)
  expect(nameOf(await borrow({ longRunning: true }))).toBe('s2')
  expect(nameOf(await borrow())).toBe('s3')
  first.release()
  expect(nameOf(await third)).toBe('s0')
})

test('CommandPool.acquire: with max 1, longRunning is served', async () => {
  const { borrow } = testPool({ max: 1 })
  expect(nameOf(await borrow({ longRunning: true }))).toBe('s0')
})

test('CommandPool.acquire: after a rejected connection, shares the existing ones', async () => {
  const { borrow, opened, server } = testPool({ max: 4, room: 1 })
  const first = await borrow()
  const second = borrow()
  const third = borrow()
  expect(await waits(second)).toBe(true)
  first.release()
  expect(nameOf(await second)).toBe('s0')
  server.room = 2 // the pool does not retry yet
  expect(await waits(third)).toBe(true)
  ;(await second).release()
  expect(nameOf(await third)).toBe('s0')
  expect(opened).toHaveLength(1)
})

test('CommandPool.acquire: rejected concurrent connections wait for the accepted one', async () => {
  const { borrow, opened } = testPool({ room: 1 })
  const use = async () => {
    const borrowed = await borrow()
    borrowed.release()
    return nameOf(borrowed)
  }
  expect(await Promise.all([use(), use(), use()])).toEqual(['s0', 's0', 's0'])
  expect(opened).toHaveLength(1)
})

test('CommandPool.acquire: rejects if the only connection is rejected', async () => {
  const { borrow } = testPool({ room: 0 })
  await expect(borrow()).rejects.toMatchObject({ code: 'LIMIT' })
})

test('CommandPool.acquire: a waiting request rejects if the last connection is lost', async () => {
  const { borrow, opened, server } = testPool({ max: 4, room: 1 })
  await borrow()
  const second = borrow()
  expect(await waits(second)).toBe(true)
  server.room = 0
  opened[0]?.lose()
  await expect(second).rejects.toMatchObject({ code: 'LIMIT' })
})

test('CommandPool.acquire: an aborted wait takes no connection', async () => {
  const { borrow } = testPool({ max: 1 })
  const first = await borrow()
  const stop = new AbortController()
  const second = borrow({ signal: stop.signal })
  const third = borrow()
  stop.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  first.release()
  expect(nameOf(await third)).toBe('s0')
})

const lost = () => new AppError('unreachable', 'gone', { code: 'ECONNRESET' })

test('CommandPool.run: repeats work after a lost reused connection only', async () => {
  const { pool, signal } = testPool()
  const names: string[] = []
  const fail = async (session: MailSession) => {
    names.push(sessionName(session))
    await Promise.reject(lost())
  }
  await pool.run({ signal }, async () => {})
  await expect(pool.run({ signal }, fail)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(names).toEqual(['s0', 's1'])
})

test('CommandPool.run: repeats prepare but not the work of a WriteRequest', async () => {
  const { pool, signal } = testPool()
  await pool.run({ signal }, async () => {})
  const calls: string[] = []
  const ready = async (session: MailSession) => {
    const name = sessionName(session)
    calls.push(`ready ${name}`)
    if (name === 's0') await Promise.reject(lost())
  }
  await pool.run({ signal, prepare: ready }, async () => void calls.push('done'))
  expect(calls).toEqual(['ready s0', 'ready s1', 'done'])
  const breaking = pool.run({ signal, prepare: ready }, async () => {
    calls.push('broken')
    await Promise.reject(lost())
  })
  await expect(breaking).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(calls.slice(3)).toEqual(['ready s1', 'broken'])
})

test('CommandPool: disposal rejects waiting and later requests', async () => {
  const { pool, borrow, opened } = testPool({ max: 1 })
  await borrow()
  const second = borrow()
  await pool[Symbol.asyncDispose]()
  await expect(second).rejects.toMatchObject({ code: 'WorkerNotAvailable' })
  await expect(borrow()).rejects.toMatchObject({ code: 'WorkerNotAvailable' })
  await expect(opened[0]?.closed).resolves.toBeUndefined()
})

test('CommandPool: work that the disposal ends rejects as released, not as a lost connection', async () => {
  const { pool, opened, signal } = testPool()
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const running = pool.run({ signal }, async () => {
    start()
    await opened[0]?.closed
    throw new AppError('unreachable', 'lost')
  })
  await started
  const disposed = pool[Symbol.asyncDispose]()
  await expect(running).rejects.toMatchObject({ code: 'WorkerNotAvailable' })
  await disposed
})

test('IdleConnections: beyond its limit, closes the longest idle connection of any account', async () => {
  const idle = new IdleConnections(2)
  const accounts = [testPool({ idle }), testPool({ idle }), testPool({ idle })]
  const closed: number[] = []
  for (const [index, { borrow, opened }] of accounts.entries()) {
    const connection = await borrow()
    void opened[0]?.closed.then(() => closed.push(index))
    connection.release()
  }
  await Promise.resolve()
  expect(closed).toEqual([0])
  // A command connection in use does not count as idle, and is not closed for the limit of idle
  // connections.
  const used = await accounts[1]?.borrow()
  ;(await accounts[0]?.borrow())?.release()
  expect(closed).toEqual([0])
  used?.release()
  await Promise.resolve()
  expect(closed).toEqual([0, 2])
})

test('CommandPool.acquire: background requests, leave a connection free and come after others', async () => {
  const { borrow } = testPool({ max: 2 })
  const background = { background: true, longRunning: true }
  const first = await borrow()
  const exporting = borrow(background)
  const second = await borrow()
  const command = borrow()
  expect(await waits(exporting)).toBe(true)
  first.release()
  ;(await command).release()
  expect(await waits(exporting)).toBe(true)
  second.release()
  ;(await exporting).release()
})

test('CommandPool.acquire: with one connection, background requests use it', async () => {
  const { borrow } = testPool({ max: 1 })
  const exporting = await borrow({ background: true, longRunning: true })
  const command = borrow()
  const again = borrow({ background: true, longRunning: true })
  exporting.release()
  ;(await command).release()
  ;(await again).release()
})
