import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { exportCompleted } from '@posthorn/contracts/events/exports'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { exportDatabase, idsWithout } from './export-mailbox.ts'

// Exports by workers that die at a transaction: before the commit, or after the commit without
// learning of the commit. Afterwards another worker claims the shard.

let database: Awaited<ReturnType<typeof exportDatabase>>
beforeAll(async () => {
  database = await exportDatabase()
})
afterAll(() => database.close())

type Moment = 'before' | 'after'

/** Database of a worker that dies at a given transaction, counted from 1. */
function dyingDb(db: Db, { at, moment, die }: { at: number; moment: Moment; die: () => void }): Db {
  let transactions = 0
  const execute = async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
    const isLast = ++transactions >= at
    if (isLast && moment === 'before') {
      die()
      throw new AppError('unavailable', 'The worker died')
    }
    const result = await db.transaction().execute(work)
    if (!isLast) return result
    die()
    throw new AppError('unavailable', 'The worker died')
  }
  return new Proxy(db, {
    get(target, key) {
      if (key === 'transaction') return () => ({ execute })
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

type Scene = Awaited<ReturnType<typeof database.scene>>

/** Runs an export on a new worker that dies. Returns false if the export ended before. */
async function liveUntil(
  scene: Scene,
  { at, moment }: { at: number; moment: Moment },
): Promise<boolean> {
  const life = new AbortController()
  const db = dyingDb(database.workerDb, { at, moment, die: () => life.abort() })
  const commit = { ...scene.deps.commit, db }
  await scene.run({ ...(await scene.claim()), commit }, life.signal)
  return life.signal.aborted
}

const content = randomBytes(3 * 1024 * 1024)

/** Export with a content that takes several chunks. */
async function largeScene(count: number) {
  const scene = await database.scene(count, true)
  const open = async () =>
    (async function* () {
      yield content
    })()
  scene.driver.contentsOf = (id) => (id === '600' ? [{ open }] : [])
  return scene
}

async function expectUndisturbed(scene: Scene, count: number): Promise<void> {
  expect(await scene.row()).toMatchObject({ status: 'completed', messagesExported: count })
  expect((await scene.row()).messagesSkipped).toBe(0)
  expect(await scene.ids()).toEqual(idsWithout(count))
  expect(await scene.events()).toEqual([exportCompleted.name])
}

test.each<Moment>(['before', 'after'])(
  'runExport: worker that dies %s any commit, the next worker completes the same file',
  async (moment) => {
    const count = 1_100
    let points = 0
    for (let at = 1; ; at++) {
      const scene = await largeScene(count)
      const hasDied = await liveUntil(scene, { at, moment })
      await scene.run(await scene.claim())
      await expectUndisturbed(scene, count)
      if (!hasDied) break
      points++
    }
    expect(points).toBeGreaterThan(8)
  },
)

test('runExport: 20 workers that die one after the other, the file is complete', async () => {
  const count = 16_000
  const scene = await database.scene(count)
  for (let life = 0; life < 20; life++) {
    const death = { at: 2 + (life % 3), moment: life % 2 === 0 ? 'after' : 'before' } as const
    expect(await liveUntil(scene, death)).toBe(true)
  }
  expect((await scene.row()).messagesExported).toBeGreaterThan(2_000)
  await scene.run(await scene.claim())
  await expectUndisturbed(scene, count)
})

test('runExport: worker with an old epoch in the middle of a message, stores nothing', async () => {
  const count = 1_100
  const scene = await largeScene(count)
  let next: Promise<void> | undefined
  scene.driver.onRead = (id) => {
    if (id === '601') next ??= scene.claim().then((account) => scene.run(account))
  }
  await scene.run()
  await next
  await expectUndisturbed(scene, count)
})

test.each(['exportMaxSize', 'SVC_EXPORT_STORAGE'])(
  'runExport: %s reached in the middle, the export completes as truncated',
  async (limit) => {
    const scene = await database.scene(1_200)
    const { deps } = scene
    const { settings } = deps.commit
    const exports = { ...deps.config.exports, maxStoredBytes: 1 }
    const maxSize = { get: async () => ({ ...(await settings.get()), exportMaxSize: 1 }) }
    await scene.run(
      limit === 'exportMaxSize'
        ? { commit: { ...deps.commit, settings: { ...settings, ...maxSize } } }
        : { config: { exports } },
    )
    const { messagesExported, truncated, status } = await scene.row()
    expect({ truncated, status }).toEqual({ truncated: true, status: 'completed' })
    expect(await scene.ids()).toEqual(idsWithout(messagesExported))
    expect(messagesExported).toBeLessThan(1_200)
    expect(await scene.events()).toEqual([exportCompleted.name])
  },
)
