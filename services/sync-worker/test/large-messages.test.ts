import { afterEach, expect, test } from '@jest/globals'
import { MailApiModel } from '@posthorn/testkit/mail-api-model'
import type { MessageDrafter } from '../src/drivers/api/messages/message-drafter.ts'
import type { FeedCommit } from '../src/drivers/api/feeds/stored/feed-store.ts'
import { MailboxFeeds } from '../src/drivers/api/feeds/mailbox-feeds.ts'
import { mime } from './api-world.ts'
import { drafter } from './feeds/feed-run.ts'
import { account, MemoryFeedStore, MemoryTables } from './feeds/memory-feed-store.ts'
import { gmailScene, graphScene } from './feeds/provider-scene.ts'

// Memory and transactions of new messages with large content, and the number of requests for such
// messages.

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const count = 20
/**
 * Number of characters in the `messageNew` event of each message, chosen so that two events fill a
 * transaction.
 */
const eventLength = 3 * 1024 * 1024

const countMessages = ({ announcements = [] }: FeedCommit) =>
  announcements.reduce((sum, { announcements: due }) => sum + due.length, 0)

/** Store of a message index that counts the new messages per transaction. */
class CountingStore extends MemoryFeedStore {
  onCommit: (messages: number) => void = () => undefined

  override async commit(change: FeedCommit): Promise<void> {
    await super.commit(change)
    const messages = countMessages(change)
    if (messages > 0) this.onCommit(messages)
  }
}

/** Model mailbox whose messages have large events. */
function largeScene() {
  const tables = new MemoryTables()
  const scene = {
    time: account.notifyFrom.getTime(),
    /** Number of new messages in each transaction of the store. */
    stored: [] as number[],
    drafted: 0,
    /** Maximum number of event drafts that were in memory at the same time. */
    mostDrafts: 0,
    failsAfter: Infinity,
  }
  const model = new MailApiModel({ placement: 'labels', now: () => new Date(scene.time) })
  let drafts = 0
  const draft: MessageDrafter['draft'] = async (message, names) => {
    scene.drafted += 1
    scene.mostDrafts = Math.max(scene.mostDrafts, ++drafts)
    const drafted = await drafter.draft(message, names)
    return { draft: { ...drafted.draft, preview: 'x'.repeat(eventLength) } }
  }
  const sync = async () => {
    const store = new CountingStore(tables)
    drafts = 0
    store.onCommit = (messages) => {
      drafts -= messages
      scene.stored.push(messages)
      if (scene.stored.length === scene.failsAfter) throw new Error('crash')
    }
    const now = () => new Date(scene.time)
    const own = { ...drafter, draft }
    const feeds = new MailboxFeeds({ api: model.api, store, drafter: own, account, now })
    return feeds.sync(new AbortController().signal)
  }
  const deliver = (hiddenReads = 0) =>
    Array.from(
      { length: count },
      (_, at) => model.deliver(mime(`message ${at}`), { hiddenReads }).id,
    )
  const announced = () =>
    tables.events.flatMap(({ event, data }) =>
      event === 'messageNew' ? [(data as { id: string }).id] : [],
    )
  return Object.assign(scene, { announced, deliver, sync })
}

test('20 new messages with large events: no transaction has more than two', async () => {
  const scene = largeScene()
  await scene.sync()
  const ids = scene.deliver()
  await scene.sync()
  expect(scene.announced().toSorted()).toEqual(ids.toSorted())
  expect(Math.max(...scene.stored)).toBe(2)
  expect(scene.mostDrafts).toBe(2)
  expect(scene.drafted).toBe(count)
})

test('a crash between two transactions: nothing is announced twice, nothing is lost', async () => {
  const scene = largeScene()
  await scene.sync()
  const ids = scene.deliver()
  scene.failsAfter = 3
  await expect(scene.sync()).rejects.toThrow('crash')
  expect(scene.announced()).toHaveLength(6)
  await scene.sync()
  expect(scene.announced().toSorted()).toEqual(ids.toSorted())
  // Messages that were stored before the failure are not read again.
  expect(scene.drafted).toBe(count)
})

test('20 pending messages with large events: no transaction has more than two', async () => {
  const scene = largeScene()
  await scene.sync()
  const ids = scene.deliver(1)
  const { dueAt } = await scene.sync()
  expect(scene.announced()).toEqual([])
  scene.time = dueAt?.getTime() ?? 0
  const { dueAt: next } = await scene.sync()
  expect(next).toBeUndefined()
  expect(scene.announced().toSorted()).toEqual(ids.toSorted())
  expect(Math.max(...scene.stored)).toBe(2)
  expect(scene.mostDrafts).toBe(2)
})

test.each([
  [undefined, 20],
  [64 * 1024, 20],
  [2 * 1024 * 1024, 6],
  [10 * 1024 * 1024, 1],
])('texts up to %p bytes: at most %i messages per request', async (maxTextBytes, size) => {
  const model = new MailApiModel({ placement: 'labels', now: () => new Date() })
  const sizes: number[] = []
  const getMessages = model.api.getMessages.bind(model.api)
  model.api.getMessages = (ids, ...rest) => {
    sizes.push(ids.length)
    return getMessages(ids, ...rest)
  }
  const options = maxTextBytes === undefined ? {} : { maxTextBytes }
  const feeds = new MailboxFeeds({
    api: model.api,
    store: new MemoryFeedStore(new MemoryTables()),
    drafter: { ...drafter, getOptions: async () => options },
    account,
    now: () => new Date(),
  })
  const { signal } = new AbortController()
  await feeds.sync(signal)
  for (let at = 0; at < count; at++) model.deliver(mime(`message ${at}`))
  await feeds.sync(signal)
  expect(Math.max(...sizes)).toBe(size)
  expect(sizes.reduce((sum, each) => sum + each, 0)).toBe(count)
})

test('Gmail: 20 new messages with texts cost at most 25 units each', async () => {
  const { gmail, mailbox, scene } = await gmailScene(stack)
  scene.settings = { notifyText: true }
  await scene.sync()
  await scene.sync()
  const idle = gmail.fake.unitsSince()
  await scene.sync()
  const pass = gmail.fake.unitsSince() - idle
  for (let at = 0; at < count; at++) mailbox.deliver(mime(`message ${at}`))
  const before = gmail.fake.unitsSince()
  await scene.sync()
  expect(scene.idsOf('messageNew')).toHaveLength(count)
  expect((gmail.fake.unitsSince() - before - pass) / count).toBeLessThanOrEqual(25)
})

test('Graph: 20 new messages with texts cost at most 3 requests each', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  scene.settings = { notifyText: true }
  await scene.sync()
  await scene.sync()
  for (let at = 0; at < count; at++) mailbox.deliver({ raw: Buffer.from(mime(`message ${at}`)) })
  graph.server.log.length = 0
  await scene.sync()
  expect(scene.idsOf('messageNew')).toHaveLength(count)
  const ofMessages = graph.server.log.filter(({ path }) => path.includes('/messages/A'))
  const batches = graph.server.requests('POST /$batch')
  expect(ofMessages.length).toBeGreaterThanOrEqual(count)
  expect((ofMessages.length + batches.length) / count).toBeLessThanOrEqual(3)
})
