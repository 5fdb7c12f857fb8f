import { beforeEach, expect, test } from '@jest/globals'
import { MailApiError } from '@posthorn/backends/mail-api'
import { MailboxFeeds } from '../src/drivers/api/feeds/mailbox-feeds.ts'
import { RoundLosses } from '../src/drivers/api/feeds/round-losses.ts'
import { FeedScene, memoryWorld } from './feeds/feed-world.ts'

// Full rounds of a Gmail mailbox whose lists lack messages. At most two messages are requested.

const minute = 60_000
const rateLimited = new MailApiError('rate-limited', 'Too many requests', { status: 429 })

/** Mailbox of 400 old messages, whose lists leave messages out. */
class LossScene extends FeedScene {
  /** Ids of messages that the provider's lists of all messages leave out. */
  readonly hidden = new Set<string>()
  /** Number of entries that each page of a list of messages leaves out as damaged. */
  damaged = 0
  rounds = 0
  /** Number of requests for messages that will still fail. */
  failures = 0
  losses = new RoundLosses(() => new Date(this.time), 2)
  total: number | undefined
  /**
   * Maximum messages in a leaf (block of the message index). With 256, the whole mailbox is
   * compared in one part.
   */
  maxLeafMessages = 256

  constructor() {
    super(memoryWorld(), { placement: 'labels' })
    const { api } = this.model
    const changes = api.changes.bind(api)
    api.changes = async (feed, position, signal) => {
      if (position.cursor === undefined) this.rounds++
      const page = await changes(feed, position, signal)
      if (!page.full) return page
      const changed = page.changed.filter(({ id }) => !this.hidden.has(id))
      return { ...page, changed, ...(this.damaged > 0 && { unreadable: this.damaged }) }
    }
    const getMessages = api.getMessages.bind(api)
    api.getMessages = async (...call) => {
      if (this.failures > 0) {
        this.failures--
        throw rateLimited
      }
      return getMessages(...call)
    }
    const profile = api.profile.bind(api)
    api.profile = async (signal) => {
      const { messages, ...rest } = await profile(signal)
      return { ...rest, messages: this.total ?? messages ?? 0 }
    }
  }

  override worker(): MailboxFeeds {
    return new MailboxFeeds({
      api: this.model.api,
      store: this.world.store(),
      drafter: this.drafter,
      account: { ...this.world.account, paths: [] },
      now: () => new Date(this.time),
      losses: this.losses,
      maxLeafMessages: this.maxLeafMessages,
    })
  }

  /** Simulates a restart of the worker, which loses its records of missing messages in memory. */
  restart(): void {
    this.losses = new RoundLosses(() => new Date(this.time), 2)
  }

  /** Ids of messages that were announced as deleted, in order of the ids. */
  async deleted(): Promise<string[]> {
    const events = await this.world.events()
    const deletions = events.filter(({ event }) => event === 'messageDeleted')
    return deletions.map(({ data }) => String(data['id'])).toSorted((a, b) => (a < b ? -1 : 1))
  }

  async announced(): Promise<unknown[]> {
    const events = await this.world.events()
    return events.flatMap(({ event, data }) => (event === 'messageNew' ? [data['id']] : []))
  }
}

let scene: LossScene
let ids: string[]
beforeEach(async () => {
  scene = new LossScene()
  ids = scene.deliverOld(400).sort()
  await scene.sync()
  scene.rounds = 0
})

/**
 * Makes the next sync pass list all messages, because the history has expired. The lists leave some
 * messages out.
 */
function expireWithout(missing: readonly string[]): void {
  for (const id of missing) scene.hidden.add(id)
  scene.model.store.expireHistory()
}

test('few losses: requested, and kept if they exist', async () => {
  expireWithout(ids.slice(0, 2))
  await scene.sync()
  expect(await scene.deleted()).toEqual([])
  expect(scene.losses.nextRoundAt).toBeUndefined()
})

test('many losses that are deletions: stored after a second list, one minute later', async () => {
  for (const id of ids.slice(0, 5)) scene.model.store.remove(scene.model.message(id))
  expireWithout([])
  await scene.sync()
  expect(await scene.deleted()).toEqual([])
  expect(scene.losses.nextRoundAt).toEqual(new Date(scene.time + minute))
  scene.time += minute
  await scene.sync()
  expect(await scene.deleted()).toEqual(ids.slice(0, 5))
  expect(scene.rounds).toBe(2)
  expect(scene.losses.nextRoundAt).toBeUndefined()
})

test('many losses in lists with damaged entries: kept until a list has no damaged entry', async () => {
  for (const id of ids.slice(0, 5)) scene.model.store.remove(scene.model.message(id))
  scene.damaged = 1
  expireWithout([])
  for (let pass = 0; pass < 3; pass++) {
    await scene.sync()
    scene.time = Number(scene.losses.nextRoundAt)
  }
  expect(await scene.deleted()).toEqual([])
  expect(scene.rounds).toBe(3)
  scene.damaged = 0
  await scene.sync()
  scene.time += minute
  await scene.sync()
  expect(await scene.deleted()).toEqual(ids.slice(0, 5))
})

test('the history expires before another list is due: new messages are announced, losses wait', async () => {
  for (const id of ids.slice(0, 5)) scene.model.store.remove(scene.model.message(id))
  expireWithout([])
  await scene.sync()
  const dueAt = scene.losses.nextRoundAt
  const announced: string[] = []
  for (let time = 0; time < 3; time++) {
    scene.time += 10_000
    announced.push(scene.deliver())
    scene.model.store.expireHistory()
    await scene.sync()
    expect(await scene.announced()).toEqual(announced)
    expect(await scene.deleted()).toEqual([])
    expect(scene.losses.nextRoundAt).toEqual(dueAt)
  }
  scene.time = Number(dueAt)
  await scene.sync()
  expect(await scene.deleted()).toEqual(ids.slice(0, 5))
  expect(scene.rounds).toBe(5)
})

test('the history expires while short lists wait: the lists in between do not count', async () => {
  scene.total = 500
  expireWithout([])
  for (let pass = 0; pass < 8; pass++) await scene.sync()
  scene.model.store.expireHistory()
  for (let pass = 0; pass < 8; pass++) {
    await scene.sync()
    scene.model.store.expireHistory()
  }
  expect(scene.losses.nextRoundAt).toEqual(new Date(scene.time + minute))
})

test('a failure while a round is compared: the round does not confirm itself', async () => {
  expireWithout(ids.slice(0, 3))
  scene.deliver()
  scene.failures = 2
  for (const _ of [1, 2]) await expect(scene.sync()).rejects.toBe(rateLimited)
  await scene.sync()
  expect(await scene.deleted()).toEqual([])
  expect(scene.rounds).toBe(1)
  scene.hidden.clear()
  scene.time += minute
  await scene.sync()
  expect(await scene.deleted()).toEqual([])
  expect(scene.rounds).toBe(2)
})

test.each([
  ['a restart', () => scene.restart()],
  ['a failure', () => undefined],
])(
  '%s before the last slice of a comparison: the losses are stored by a later round',
  async (_name, end) => {
    scene.maxLeafMessages = 8
    for (const id of ids.slice(0, 3)) scene.model.store.remove(scene.model.message(id))
    // The id of the new message sorts last, so that the message is compared after the missing
    // messages.
    scene.deliver({ id: 'zzzz' })
    expireWithout([])
    scene.failures = 1
    await expect(scene.sync()).rejects.toBe(rateLimited)
    end()
    for (let pass = 0; pass < 4; pass++) {
      await scene.sync()
      scene.time += minute
    }
    expect(await scene.deleted()).toEqual(ids.slice(0, 3))
  },
)

test('a short list: repeated after 1, 2, 4 and 8 min, then the round counts as complete', async () => {
  scene.total = 500
  expireWithout([])
  await scene.sync()
  const delays: number[] = []
  for (;;) {
    const next = scene.losses.nextRoundAt
    if (!next) break
    delays.push((next.getTime() - scene.time) / minute)
    scene.time = next.getTime()
    await scene.sync()
  }
  expect(delays).toEqual([1, 2, 4, 8])
  expect(scene.rounds).toBe(5)
})

test('a short list that hides a new message: the message is announced by the next list', async () => {
  const id = scene.deliver()
  expireWithout([id, ...ids.slice(0, 10)])
  await scene.sync()
  expect(await scene.announced()).toEqual([])
  scene.hidden.clear()
  scene.time += minute
  await scene.sync()
  expect(await scene.announced()).toEqual([id])
})

test('the index is lost while another list is due: no pass is due in the past', async () => {
  expireWithout(ids.slice(0, 3))
  await scene.sync()
  expect(scene.losses.nextRoundAt).toBeDefined()
  await scene.world.lose('index')
  scene.hidden.clear()
  await scene.sync()
  expect(scene.losses.nextRoundAt).toBeUndefined()
  const { dueAt } = await scene.pass()
  expect(dueAt).toBeUndefined()
})

test('first round, empty lists: refused for 10 minutes', async () => {
  const empty = new LossScene()
  empty.total = 3
  await expect(empty.sync()).rejects.toMatchObject({ kind: 'unreachable' })
  empty.time += 10 * minute
  await empty.sync()
  expect(await empty.announced()).toEqual([])
})
