import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { exportFailed } from '@posthorn/contracts/events/exports'
import { AppError, UnavailableError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { exportDatabase, idsWithout, lost } from './export-mailbox.ts'
import { readLines } from './export-scene.ts'

let database: Awaited<ReturnType<typeof exportDatabase>>
beforeAll(async () => {
  database = await exportDatabase()
})
afterAll(() => database.close())

const scene = (count: number, includeAttachments?: boolean) =>
  database.scene(count, includeAttachments)
const refused = () => new AppError('rejected', 'refused')
const keyError = new AppError('unavailable', 'Keys are unavailable')
const broken = () => new AppError('internal', 'unreadable')

test('runExport: message that fails three times while the server works, is skipped', async () => {
  const { driver, run, row, ids } = await scene(700)
  const attempts = new Map<string, number>()
  driver.onRead = (id) => {
    if (id !== '3' && id !== '650') return
    attempts.set(id, (attempts.get(id) ?? 0) + 1)
    throw broken()
  }
  await run()
  expect(await row()).toMatchObject({ messagesExported: 698, messagesSkipped: 2 })
  expect(await ids()).toEqual(idsWithout(700, 3, 650))
  for (const count of attempts.values()) expect(count).toBeGreaterThanOrEqual(3)
})

test('runExport: message that fails twice, is exported once', async () => {
  const { driver, run, row, ids } = await scene(20)
  let failures = 0
  driver.onRead = (id) => {
    if (id === '7' && ++failures <= 2) throw broken()
  }
  await run()
  expect(await row()).toMatchObject({ messagesExported: 20, messagesSkipped: 0 })
  expect(await ids()).toEqual(idsWithout(20))
})

test('runExport: server unavailable for a while, skips nothing', async () => {
  const { driver, run, row, ids } = await scene(20)
  let isFirst = true
  driver.onRead = (id) => {
    if (id !== '5' || !isFirst) return
    isFirst = false
    driver.isDown = true
    throw lost()
  }
  const running = run()
  await eventually(async () => expect((await row()).unavailableSince).not.toBeNull())
  expect((await row()).messagesExported).toBe(5)
  driver.isDown = false
  await running
  expect(await row()).toMatchObject({ status: 'completed', messagesSkipped: 0 })
  expect((await row()).unavailableSince).toBeNull()
  expect(await ids()).toEqual(idsWithout(20))
})

test('runExport: folder of the list disappears, lists again', async () => {
  const { driver, run, row, ids } = await scene(5)
  driver.onList = () => {
    if (driver.lists === 1) throw new AppError('not-found', 'The folder does not exist')
  }
  await run()
  expect(await row()).toMatchObject({ status: 'completed', messagesQueued: 5 })
  expect(await ids()).toEqual(idsWithout(5))
})

test('runExport: content that breaks off, leaves no part of its message', async () => {
  const { driver, run, ids, exportId } = await scene(3, true)
  const content = randomBytes(5 * 1024 * 1024)
  let opened = 0
  const open = async () => {
    const isBroken = ++opened === 1
    return (async function* () {
      yield content.subarray(0, 4 * 1024 * 1024)
      if (isBroken) throw lost()
      yield content.subarray(4 * 1024 * 1024)
    })()
  }
  driver.contentsOf = (id) => (id === '1' ? [{ open }] : [])
  await run()
  expect(await ids()).toEqual(['0', '1', '2'])
  const [, line] = await readLines(database.db, exportId)
  expect(line?.attachments?.[0]?.content).toBe(content.toString('base64'))
  expect(opened).toBe(2)
})

test('runExport: content that is refused in the middle, becomes an error of the attachment', async () => {
  const { driver, run, ids, exportId } = await scene(3, true)
  let opened = 0
  const open = async () => {
    opened++
    return (async function* () {
      yield randomBytes(4 * 1024 * 1024)
      throw refused()
    })()
  }
  driver.contentsOf = (id) => (id === '1' ? [{ open }, { bytes: Buffer.from('x') }] : [])
  await run()
  expect(await ids()).toEqual(['0', '1', '2'])
  const [, line] = await readLines(database.db, exportId)
  expect(line?.attachments).toEqual([
    expect.objectContaining({ contentError: 'refused' }),
    expect.objectContaining({ content: 'eA==' }),
  ])
  expect(opened).toBe(3)
})

test('runExport: content that is refused twice, is exported', async () => {
  const { driver, run, row, ids, exportId } = await scene(3, true)
  let opened = 0
  const open = async () => {
    if (++opened < 3) throw refused()
    return (async function* () {
      yield Buffer.from('x')
    })()
  }
  driver.contentsOf = (id) => (id === '1' ? [{ open }] : [])
  await run()
  expect(await row()).toMatchObject({ messagesExported: 3, messagesSkipped: 0 })
  expect(await ids()).toEqual(idsWithout(3))
  const [, line] = await readLines(database.db, exportId)
  expect(line?.attachments).toEqual([expect.objectContaining({ content: 'eA==' })])
})

test.each([
  [2, 'rejected', 0],
  [3, 'rejected', 1],
  [9, 'unavailable', 0],
] as const)(
  'runExport: message unreadable %d times (%s), skips %d messages',
  async (times, kind, messagesSkipped) => {
    const { driver, run, row, ids } = await scene(20)
    let failures = 0
    driver.unreadable = (id) =>
      id === '7' && ++failures <= times ? new AppError(kind, 'refused') : undefined
    await run()
    expect(await row()).toMatchObject({ messagesExported: 20 - messagesSkipped, messagesSkipped })
    expect(await ids()).toEqual(messagesSkipped === 0 ? idsWithout(20) : idsWithout(20, 7))
  },
)

test('runExport: worker that lost its lease, stores nothing', async () => {
  const { lease, driver, run, row } = await scene(20)
  driver.onRead = (id) => {
    if (id === '10') throw broken()
  }
  await database.db
    .updateTable('shards')
    .set((shard) => ({ epoch: shard('epoch', '+', '1') }))
    .where('shard', '=', lease.shard)
    .execute()
  await run()
  expect(await row()).toMatchObject({ status: 'queued', chunks: 0, position: null })
})

test('runExport: two workers with the same lease, the file has each message once', async () => {
  const { run, row, ids } = await scene(2_000)
  await Promise.all([run(), run()])
  expect(await row()).toMatchObject({ status: 'completed', messagesExported: 2_000 })
  expect(await ids()).toEqual(idsWithout(2_000))
})

test('runExport: cancelled during a turn, stops and stores nothing more', async () => {
  const { driver, run, row, events, exportId } = await scene(1_200)
  const cancelled = Promise.withResolvers<{ chunks: number }>()
  driver.onRead = (id) => {
    if (id !== '600') return
    const cancel = database.db
      .updateTable('exports')
      .set({ status: 'cancelled' })
      .where('exportId', '=', exportId)
      .returning('chunks')
      .executeTakeFirstOrThrow()
    cancel.then(cancelled.resolve, cancelled.reject)
    driver.pause = cancel
  }
  await run()
  const { chunks } = await cancelled.promise
  expect(await row()).toMatchObject({ status: 'cancelled', chunks })
  expect(await events()).toEqual([])
})

test('runExport: aborted while the mail server does not respond, ends', async () => {
  const { driver, run, row, stop } = await scene(20)
  driver.onRead = (id) => {
    if (id !== '7') return
    driver.pause = new Promise(() => {})
    setImmediate(() => stop.abort())
  }
  await run()
  expect((await row()).status).toBe('processing')
})

test('runExport: limited rate, repeats without longer delays while messages are exported', async () => {
  const { driver, run, row, ids } = await scene(60)
  let reads = 0
  driver.onRead = () => {
    if (++reads % 10 === 0) throw new AppError('rate-limited', 'later')
  }
  const failures: number[] = []
  const retryDelayMs = (count: number) => {
    failures.push(count)
    return 1
  }
  await run({ retryDelayMs })
  expect(await row()).toMatchObject({ status: 'completed', messagesSkipped: 0 })
  expect(await ids()).toEqual(idsWithout(60))
  expect(failures).toEqual([1, 1, 1, 1, 1, 1])
})

test('runExport: has its turn while messages are read, and pauses for new mail before each', async () => {
  const { driver, run, ids } = await scene(20)
  let hasTurn = false
  let pauses = 0
  const pause = async () => void pauses++
  const take = async () => {
    hasTurn = true
    return { pause, [Symbol.dispose]: () => void (hasTurn = false) }
  }
  const reads: boolean[] = []
  driver.onRead = () => void reads.push(hasTurn)
  await run({ turns: { take } })
  expect(await ids()).toEqual(idsWithout(20))
  expect(reads).toEqual(Array.from({ length: 20 }, () => true))
  expect(pauses).toBe(20)
})

test('runExport: folder that cannot be listed, ends truncated after longer and longer delays', async () => {
  const { driver, run, row, ids } = await scene(5)
  driver.onList = () => {
    throw new AppError('not-found', 'The folder does not exist')
  }
  const failures: number[] = []
  const retryDelayMs = (count: number) => {
    failures.push(count)
    return 1
  }
  await run({ retryDelayMs })
  expect(await row()).toMatchObject({ status: 'completed', truncated: true, messagesExported: 0 })
  expect(await ids()).toEqual([])
  expect(failures.slice(0, 5)).toEqual([1, 2, 3, 4, 5])
})

test('runExport: auth-bridge unavailable, is no outage of the mail server', async () => {
  const { deps, run, row, ids } = await scene(5)
  let failures = 0
  const unavailable: unknown[] = []
  const readKey: typeof deps.readKey = async (...target) => {
    unavailable.push((await row()).unavailableSince)
    if (++failures <= 3) throw keyError
    return deps.readKey(...target)
  }
  const exports = { ...deps.config.exports, maxUnavailableMs: 1 }
  await run({ readKey, config: { exports } })
  expect(unavailable).toEqual([null, null, null, null])
  expect(await row()).toMatchObject({ status: 'completed', error: null })
  expect(await ids()).toEqual(idsWithout(5))
})

test('runExport: unexpected error that lasts, fails without the text of the error', async () => {
  const { deps, run, row, events } = await scene(5)
  const readKey = () => Promise.reject(new Error('secret'))
  const exports = { ...deps.config.exports, maxUnavailableMs: 1 }
  await run({ readKey, config: { exports }, retryDelayMs: () => 5 })
  expect(await row()).toMatchObject({
    status: 'failed',
    error: 'The export could not be continued, create it again',
  })
  expect(await events()).toEqual([exportFailed.name])
})

test('runExport: folders that cannot be read, fails after the patience', async () => {
  const { deps, driver, run, row } = await scene(5)
  driver.folders = () => Promise.reject(new AppError('rejected', 'LIST is refused'))
  const exports = { ...deps.config.exports, maxUnavailableMs: 1 }
  await run({ config: { exports }, retryDelayMs: () => 5 })
  expect(await row()).toMatchObject({ status: 'failed', error: 'LIST is refused' })
})

test('runExport: Postgres fails in the driver, skips nothing', async () => {
  const { driver, run, row, ids } = await scene(20)
  let failures = 0
  driver.onRead = (id) => {
    if (id === '7' && ++failures <= 5) throw new UnavailableError('Postgres is unavailable')
  }
  await run()
  expect(await row()).toMatchObject({ status: 'completed', messagesSkipped: 0 })
  expect(await ids()).toEqual(idsWithout(20))
})
