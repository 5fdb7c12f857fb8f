import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { MailApiError, type MailApi } from '@posthorn/backends/mail-api'
import { MailboxFeeds } from '../src/drivers/api/feeds/mailbox-feeds.ts'
import type { PassOptions } from '../src/drivers/api/feeds/feed-pass.ts'
import { MemoryFeedStore, MemoryTables } from './feeds/memory-feed-store.ts'
import { FeedScene, memoryWorld, postgresWorlds } from './feeds/feed-world.ts'

// Monthly comparison of the index of a Gmail mailbox with a list of the whole mailbox.

const worlds = await postgresWorlds()
afterAll(() => worlds.drop())
const day = 86_400_000
const month = 30 * day

/** Mailbox of 1,200 old messages whose history may lack changes. */
class RepairScene extends FeedScene {
  readonly tables = new MemoryTables()
  readonly outcomes: [string, number][] = []
  /** Names of the functions of the mail API that the index comparison has called, in order. */
  readonly requests: string[] = []
  /** Ids of messages that the provider's lists of all messages leave out. */
  readonly hidden = new Set<string>()
  idleFailure: MailApiError | undefined
  #worker: MailboxFeeds | undefined

  constructor() {
    super(memoryWorld(), { placement: 'labels' })
  }

  override worker(): MailboxFeeds {
    return (this.#worker ??= this.restart())
  }

  /** Starts another worker, which continues from the stored state of the message index. */
  restart(): MailboxFeeds {
    this.#worker = new MailboxFeeds({
      api: this.model.api,
      store: new MemoryFeedStore(this.tables),
      drafter: this.drafter,
      account: { ...this.world.account, paths: [] },
      now: () => new Date(this.time),
      openIdle: async () => this.#idle(),
      onRepair: (outcome, repaired) => void this.outcomes.push([outcome, repaired]),
    })
    return this.#worker
  }

  #idle(): MailApi {
    const { api } = this.model
    return new Proxy(api, {
      get: (_, name) => {
        const member: unknown = Reflect.get(api, name)
        if (typeof member !== 'function') return member
        return async (...call: unknown[]) => {
          if (this.idleFailure) throw this.idleFailure
          this.requests.push(String(name))
          const result: unknown = await member.apply(api, call)
          if (name !== 'changes') return result
          const page = result as Awaited<ReturnType<MailApi['changes']>>
          return { ...page, changed: page.changed.filter(({ id }) => !this.hidden.has(id)) }
        }
      },
    })
  }

  /** Runs the sync passes of a day, one pass per hour. */
  async runDay(options: PassOptions = {}): Promise<void> {
    for (let hour = 0; hour < 24; hour++) {
      this.time += day / 24
      await this.pass(options)
    }
  }

  /**
   * Runs sync passes until the monthly comparison of the message index ends, for at most 31 days.
   */
  async runUntilEnd(): Promise<void> {
    const before = this.outcomes.length
    for (let days = 0; days < 31 && this.outcomes.length === before; days++) await this.runDay()
  }

  /** Changes the mailbox in such a way that the provider's history does not contain the changes. */
  async loseHistory(change: () => void): Promise<void> {
    change()
    const { api } = this.model
    const changes = api.changes.bind(api)
    api.changes = async (feed, position, signal) => {
      const page = await changes(feed, position, signal)
      return page.full ? page : { ...page, changed: [], removed: [] }
    }
    await this.pass()
    api.changes = changes
  }

  names(): string[] {
    return this.tables.events.map(({ event }) => event).filter((name) => name.startsWith('message'))
  }

  idsOf(name: string): unknown[] {
    return this.tables.events.flatMap(({ event, data }) =>
      event === name ? [(data as Record<string, unknown>)['id']] : [],
    )
  }

  get indexed(): number {
    return this.tables.mailbox?.messages ?? 0
  }
}

let scene: RepairScene
let ids: string[]
beforeEach(async () => {
  scene = new RepairScene()
  ids = scene.deliverOld(1_200)
  await scene.pass()
})

test('index without differences: one comparison a month, nothing is stored or announced', async () => {
  await scene.runUntilEnd()
  expect(scene.outcomes).toEqual([['completed', 0]])
  const started = scene.time
  await scene.runUntilEnd()
  expect(scene.outcomes).toEqual([
    ['completed', 0],
    ['completed', 0],
  ])
  expect(scene.time - started).toBeGreaterThan(month - 2 * day)
  expect(scene.time - started).toBeLessThan(month + 2 * day)
  expect(scene.names()).toEqual([])
  expect(scene.tables.leavesOf('repair')).toEqual([])
  expect(scene.requests).not.toContain('getMessages')
})

test('messages, deletions and flags that the history lacked: repaired, old mail is not announced', async () => {
  const [gone = '', changed = ''] = ids
  let old = ''
  await scene.loseHistory(() => {
    old = scene.deliver({ receivedAt: new Date(scene.time - 60 * day) })
    scene.model.remove(gone)
    scene.model.change(changed, { flagged: true })
  })
  expect(scene.indexed).toBe(1_200)
  await scene.runUntilEnd()
  expect(scene.outcomes).toEqual([['completed', 3]])
  expect(scene.names().toSorted()).toEqual(['messageDeleted', 'messageUpdated'])
  expect(scene.idsOf('messageDeleted')).toEqual([gone])
  expect(scene.idsOf('messageUpdated')).toEqual([changed])
  scene.model.change(old, { flagged: true })
  await scene.pass()
  expect(scene.idsOf('messageUpdated')).toEqual([changed, old])
})

test('a message of the last week that the history lacked is announced', async () => {
  let late = ''
  await scene.runUntilEnd()
  while (scene.tables.mailbox?.repair?.startedAt === undefined) {
    if (scene.time > (scene.tables.mailbox?.repair?.nextAt ?? 0) - day && late === '')
      await scene.loseHistory(() => void (late = scene.deliver()))
    scene.time += day / 24
    await scene.pass({ mustYield: () => scene.tables.mailbox?.repair?.startedAt !== undefined })
  }
  await scene.runUntilEnd()
  expect(scene.idsOf('messageNew')).toEqual([late])
})

test('new mail is announced by the pass in which it arrives, while a comparison is under way', async () => {
  const yields = { mustYield: () => scene.tables.mailbox?.repair?.startedAt !== undefined }
  while (scene.tables.mailbox?.repair?.startedAt === undefined) {
    scene.time += day / 24
    await scene.pass(yields)
  }
  const id = scene.deliver()
  await scene.pass(yields)
  expect(scene.idsOf('messageNew')).toEqual([id])
  await scene.runUntilEnd()
  expect(scene.idsOf('messageNew')).toEqual([id])
  expect(scene.names()).toEqual(['messageNew'])
})

test('a crash after each commit: the comparison continues, differences are stored once', async () => {
  const [gone = ''] = ids
  await scene.loseHistory(() => scene.model.remove(gone))
  while (scene.tables.mailbox?.repair?.startedAt === undefined) {
    scene.time += day / 24
    await scene.pass({ mustYield: () => scene.tables.mailbox?.repair?.startedAt !== undefined })
  }
  const requests = scene.requests.length
  let crashes = 0
  while (crashes < 50 && scene.tables.mailbox?.repair?.startedAt !== undefined) {
    scene.restart()
    let before: unknown = scene.tables.mailbox?.repair
    scene.tables.onCommit = (phase) => {
      const { repair } = scene.tables.mailbox ?? {}
      const isMoved = phase === 'after' && repair !== before
      before = repair
      if (!isMoved) return
      crashes += 1
      throw new Error('crash')
    }
    await scene.pass().catch(() => undefined)
    scene.tables.onCommit = () => undefined
  }
  expect(crashes).toBeGreaterThan(3)
  expect(scene.tables.mailbox?.repair).toMatchObject({ repaired: 1 })
  expect(scene.idsOf('messageDeleted')).toEqual([gone])
  // Pages of the mailbox list that were committed before a crash are not listed again.
  const pages = scene.requests.slice(requests).filter((name) => name === 'changes')
  expect(pages.length).toBeLessThanOrEqual(crashes)
})

test('short lists: nothing is deleted, few messages are requested, many start another list', async () => {
  for (const id of ids.slice(0, 100)) scene.hidden.add(id)
  await scene.runUntilEnd()
  expect(scene.outcomes).toEqual([['completed', 0]])
  expect(scene.names()).toEqual([])
  for (const id of ids) scene.hidden.add(id)
  const requests = scene.requests.length
  await scene.runUntilEnd()
  expect(scene.outcomes.at(-1)).toEqual(['incomplete', 0])
  expect(scene.requests.slice(requests)).not.toContain('getMessages')
  scene.hidden.clear()
  await scene.runUntilEnd()
  expect(scene.outcomes.at(-1)).toEqual(['completed', 0])
  expect(scene.indexed).toBe(1_200)
  expect(scene.names()).toEqual([])
})

test.each([
  ['a rate limit', new MailApiError('rate-limited', 'Too many requests', { status: 429 }), []],
  ['a failure', new MailApiError('unavailable', 'Backend Error', { status: 503 }), ['failed']],
])('%s of the provider delays the comparison, not the pass', async (_name, failure, outcomes) => {
  scene.idleFailure = failure
  await scene.runUntilEnd()
  expect([...new Set(scene.outcomes.map(([outcome]) => outcome))]).toEqual(outcomes)
  scene.idleFailure = undefined
  scene.outcomes.length = 0
  for (let days = 0; days < 31 && scene.outcomes.length === 0; days++) await scene.runDay()
  expect(scene.outcomes).toEqual([['completed', 0]])
})

test('a position of the list that expired: the comparison ends, another one follows a day later', async () => {
  const untilStarted = async () => {
    while (scene.tables.mailbox?.repair?.cursor === undefined) {
      scene.time += day / 24
      await scene.pass({ mustYield: () => scene.requests.includes('changes') })
    }
  }
  await untilStarted()
  scene.idleFailure = new MailApiError('stale-cursor', 'expired')
  scene.time += day / 24
  await scene.pass()
  expect(scene.outcomes).toEqual([['incomplete', 0]])
  expect(scene.tables.leavesOf('repair')).toEqual([])
  scene.idleFailure = undefined
  await scene.runUntilEnd()
  expect(scene.outcomes.at(-1)).toEqual(['completed', 0])
})

test('an index that was created again: the comparison begins again', async () => {
  while (scene.tables.mailbox?.repair?.startedAt === undefined) {
    scene.time += day / 24
    await scene.pass({ mustYield: () => scene.tables.mailbox?.repair?.startedAt !== undefined })
  }
  const before = scene.tables.mailbox
  // An older release, which has no index comparison, leaves the stored position of the comparison
  // unchanged.
  scene.tables.reset()
  scene.tables.mailbox = { ...before, messages: 0, filledAt: null }
  scene.restart()
  await scene.pass()
  await scene.runUntilEnd()
  expect(scene.outcomes).toEqual([['completed', 0]])
  expect(scene.indexed).toBe(1_200)
  expect(scene.names()).toEqual([])
})

test('Postgres: position, list and time of the next comparison are stored', async () => {
  const stored = new FeedScene(await worlds.open(), { placement: 'labels' })
  stored.deliverOld(1_200)
  const { api } = stored.model
  const openIdle = async () => api
  const { account } = stored.world
  const repairOf = async () => (await stored.world.store().findMailbox())?.repair
  /** Runs a sync pass of a new worker, which runs one piece of the index comparison. */
  const pass = async () => {
    const store = stored.world.store()
    const now = () => new Date(stored.time)
    const worker = new MailboxFeeds({ api, store, drafter: stored.drafter, account, now, openIdle })
    let pieces = 0
    await worker.sync(new AbortController().signal, { mustYield: () => pieces++ > 0 })
  }
  await pass()
  expect(await repairOf()).toBeNull()
  for (let hours = 0; (await repairOf())?.startedAt === undefined && hours < 800; hours++) {
    stored.time += day / 24
    await pass()
  }
  expect(await repairOf()).toMatchObject({ startedAt: stored.time, cursor: expect.any(String) })
  expect(await stored.world.countLeaves('repair')).toBeGreaterThan(0)
  while ((await repairOf())?.startedAt !== undefined) await pass()
  expect(await repairOf()).toEqual({ nextAt: expect.any(Number), repaired: 0 })
  expect(await stored.world.countLeaves('repair')).toBe(0)
})
