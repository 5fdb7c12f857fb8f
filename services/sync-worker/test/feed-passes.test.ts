import { describe, expect, test } from '@jest/globals'
import type { Feed, FeedPosition } from '@posthorn/backends/mail-api'
import type { MailApiModelOptions } from '@posthorn/testkit/mail-api-model'
import type { PassParts } from '../src/drivers/api/feeds/pass.ts'
import { FeedScene, memoryWorld } from './feeds/feed-world.ts'

// Passes over parts of a mailbox, and full rounds that other passes interrupt.

const hour = 3_600_000
const folderIds = ['one', 'two', 'three']

/** Synced mailbox with further folders. `reads` has the feeds that were read since, in order. */
class PassScene extends FeedScene {
  reads: { feed: string; isRound: boolean; news: number }[] = []

  constructor(options: Partial<MailApiModelOptions> = {}) {
    super(memoryWorld(), { placement: 'folder', ...options })
    for (const id of folderIds)
      this.model.store.addFolder({ id, path: [id], editable: true, assignable: true })
    const { api } = this.model
    const changes = api.changes.bind(api)
    api.changes = async (feed: Feed, position: FeedPosition, signal) => {
      const news = (await this.eventNames()).filter((name) => name === 'messageNew').length
      this.reads.push({ feed: feed.id, isRound: position.cursor === undefined, news })
      return changes(feed, position, signal)
    }
  }

  static async synced(options: Partial<MailApiModelOptions> = {}): Promise<PassScene> {
    const scene = new PassScene(options)
    await scene.sync()
    scene.reads = []
    return scene
  }

  get rounds(): string[] {
    return this.reads.flatMap(({ feed, isRound }) => (isRound ? [feed] : []))
  }

  get allFolders(): string[] {
    return [...this.model.store.folders.keys()].sort()
  }

  async news(): Promise<unknown[]> {
    const events = await this.world.events()
    return events.flatMap(({ event, data }) => (event === 'messageNew' ? [data['id']] : []))
  }
}

function noticed(...ids: string[]): PassParts {
  return { messages: new Map(ids.map((id) => [id, false])), specialUses: [] }
}

const mustYield = () => true

describe('MailboxFeeds: full rounds', () => {
  test('new messages of all folders are announced before the first round starts', async () => {
    const run = await PassScene.synced()
    run.time += 1_000
    for (const folderId of folderIds) run.deliver({ folderId })
    const worker = run.worker()
    worker.requireRounds()
    await run.pass({}, worker)
    const firstRound = run.reads.find(({ isRound }) => isRound)
    expect(firstRound?.news).toBe(3)
    expect([...run.rounds].sort()).toEqual(run.allFolders)
    expect(await run.news()).toHaveLength(3)
  })

  test('another request is served between two rounds, and all rounds are run once', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    worker.requireRounds()
    expect(await run.pass({ mustYield }, worker)).toMatchObject({ hasRounds: true })
    expect(run.rounds).toHaveLength(1)
    const id = run.deliver()
    await run.pass({ mustYield }, worker)
    expect(await run.news()).toEqual([id])
    expect(run.rounds).toHaveLength(2)
    while ((await run.pass({ mustYield }, worker)).hasRounds);
    expect([...run.rounds].sort()).toEqual(run.allFolders)
  })

  test('after a restart of the process, the remaining rounds are run', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    worker.requireRounds()
    await run.pass({ mustYield }, worker)
    while ((await run.pass({ mustYield })).hasRounds);
    expect([...run.rounds].sort()).toEqual(run.allFolders)
    await run.pass()
    expect(run.rounds).toHaveLength(run.allFolders.length)
  })

  test('a requirement is stored before the first round', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    worker.requireRounds()
    run.model.api.changes = () => Promise.reject(new Error('crash'))
    await expect(run.pass({}, worker)).rejects.toThrow('crash')
    delete (run.model.api as { changes?: unknown }).changes
    const [feeds, states] = [run.allFolders.length, await run.world.store().listFeeds()]
    expect(states.filter(({ completedAt }) => completedAt === null)).toHaveLength(feeds)
  })

  test('the initial sync is not interrupted', async () => {
    const run = new PassScene()
    expect(await run.pass({ mustYield })).toMatchObject({ hasRounds: false })
    expect([...run.rounds].sort()).toEqual(run.allFolders)
  })

  test('after an outage of four hours all messages are compared, after a shorter one none', async () => {
    const run = await PassScene.synced({ feedFaults: { losesReturns: true } })
    run.time += 3 * hour
    await run.pass()
    expect(run.rounds).toEqual([])
    run.time += 4 * hour
    const id = run.deliver()
    await run.pass()
    expect(await run.news()).toEqual([id])
    expect([...run.rounds].sort()).toEqual(run.allFolders)
    run.reads = []
    run.time += hour
    await run.pass()
    expect(run.rounds).toEqual([])
  })

  test('a mailbox with labels is not compared after an outage', async () => {
    const run = new PassScene({ placement: 'labels' })
    await run.sync()
    run.reads = []
    run.time += 5 * hour
    await run.pass()
    expect(run.rounds).toEqual([])
  })
})

describe('MailboxFeeds: passes over noticed messages', () => {
  test('a new message: one read of it and of its folder', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    run.reads = []
    const { calls } = run.model.api
    const before = new Map(calls)
    const id = run.deliver({ folderId: 'two' })
    const result = await run.pass({ parts: noticed(id) }, worker)
    expect(result).toMatchObject({ hasChanges: true, unreported: [] })
    expect(run.reads.map(({ feed }) => feed)).toEqual(['two'])
    expect(calls.get('folders')).toBe(before.get('folders'))
    expect(calls.get('getMessages')).toBe((before.get('getMessages') ?? 0) + 1)
    expect(await run.news()).toEqual([id])
  })

  test('messages with more than 24 MiB of texts are not kept: all feeds are read', async () => {
    const run = await PassScene.synced()
    const maxTextBytes = 2 * 1024 * 1024
    run.drafter = { ...run.drafter, getOptions: async () => ({ maxTextBytes }) }
    const worker = run.worker()
    await run.pass({}, worker)
    run.reads = []
    const text = 'x'.repeat(maxTextBytes - 100)
    const ids = Array.from(
      { length: 13 },
      (_, at) => run.model.deliver(`Message-ID: <${at}@x>\r\n\r\n${text}`, { folderId: 'two' }).id,
    )
    await run.pass({ parts: noticed(...ids) }, worker)
    expect(new Set(run.reads.map(({ feed }) => feed)).size).toBeGreaterThan(1)
    expect(new Set(await run.news())).toEqual(new Set(ids))
    expect(await run.news()).toHaveLength(13)
  })

  test('a change, a move and a deletion: the folder of the index is read', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    const ids = folderIds.map((folderId) => run.deliver({ folderId }))
    const [one = '', two = '', three = ''] = ids
    await run.pass({}, worker)
    run.reads = []
    run.model.change(one, { unseen: false })
    run.model.change(two, { folderId: 'three' })
    run.model.remove(three)
    await run.pass({ parts: noticed(one, two, three) }, worker)
    expect(run.reads.map(({ feed }) => feed).sort()).toEqual(['one', 'three', 'two'])
    await run.pass({}, worker)
    expect((await run.eventNames()).slice(3).sort()).toEqual([
      'messageDeleted',
      'messageDeleted',
      'messageNew',
      'messageUpdated',
    ])
  })

  test('a message that is not in the feed yet: reported as such, then announced once', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    const id = run.deliver({ hiddenReads: 1 })
    const { api } = run.model
    const changes = api.changes.bind(api)
    api.changes = async (...call) => ({ ...(await changes(...call)), changed: [], cursor: old })
    const old =
      (await run.world.store().listFeeds()).find(({ feed }) => feed === inbox(run))?.cursor ?? ''
    const early = await run.pass({ parts: noticed(id) }, worker)
    expect(early.unreported).toEqual([{ id, isNew: true }])
    const late = await run.pass({ parts: noticed(id) }, worker)
    expect(late.unreported).toEqual([{ id, isNew: true }])
    api.changes = changes
    const last = await run.pass({ parts: noticed(id) }, worker)
    expect(last.unreported).toEqual([])
    await run.pass({ parts: noticed(id) }, worker)
    expect(await run.news()).toEqual([id])
  })

  test('a message that changed after it was read for the notification: read again', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    const { api } = run.model
    const getMessages = api.getMessages.bind(api)
    const id = run.deliver()
    api.getMessages = async (...call) => {
      const messages = await getMessages(...call)
      api.getMessages = getMessages
      run.model.change(id, { flagged: true })
      return messages
    }
    await run.pass({ parts: noticed(id) }, worker)
    await run.pass({}, worker)
    expect(await run.world.events()).toMatchObject([
      { event: 'messageNew', data: { id, flags: ['\\Flagged'] } },
    ])
  })

  test('a second notification of a change soon after the first one has nothing to wait for', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    const id = run.deliver()
    await run.pass({ parts: noticed(id) }, worker)
    expect(await run.pass({ parts: noticed(id) }, worker)).toMatchObject({ unreported: [] })
    run.time += 20_000
    expect(await run.pass({ parts: noticed(id) }, worker)).toMatchObject({
      unreported: [{ id, isNew: false }],
    })
  })

  test('a message in a folder that is not listed yet: all feeds are read', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    run.model.store.addFolder({ id: 'new', path: ['new'], editable: true, assignable: true })
    const id = run.deliver({ folderId: 'new' })
    await run.pass({ parts: noticed(id) }, worker)
    expect(await run.news()).toEqual([id])
    expect(await run.world.folderEvents()).toContainEqual(['mailboxNew', 'new'])
  })

  test('a message in a folder that the account does not select is not waited for', async () => {
    const run = new PassScene()
    run.paths = ['one', 'two']
    const worker = run.worker()
    await run.pass({}, worker)
    run.reads = []
    const id = run.deliver({ folderId: 'three' })
    const result = await run.pass({ parts: noticed(id) }, worker)
    expect([result.unreported, run.reads]).toEqual([[], []])
  })

  test('a message in a folder that is never listed is not waited for', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    run.model.store.addFolder({ id: 'hid', path: ['hid'], editable: true, assignable: true })
    const { api } = run.model
    const folders = api.folders.bind(api)
    api.folders = async (signal) => (await folders(signal)).filter(({ id }) => id !== 'hid')
    const id = run.deliver({ folderId: 'hid' })
    expect(await run.pass({ parts: noticed(id) }, worker)).toMatchObject({ unreported: [] })
  })

  test('after a failed pass, links that the provider replaced are not used again', async () => {
    const run = await PassScene.synced({ feedFaults: { liveCursors: 4 } })
    const { api } = run.model
    const changes = api.changes.bind(api)
    const feeds = (await run.world.store().listFeeds()).length
    for (let pass = 0; pass < 6; pass++) {
      let left = feeds - 1
      api.changes = (...call) =>
        left-- > 0 ? changes(...call) : Promise.reject(new Error('unavailable'))
      await expect(run.pass()).rejects.toThrow('unavailable')
    }
    api.changes = changes
    run.reads = []
    await run.pass()
    expect(run.rounds).toEqual([])
  })

  test('a pending message whose time has come is read with its folder', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    const id = run.deliver({ folderId: 'two', hiddenReads: 1 })
    const { dueAt } = await run.pass({}, worker)
    run.time = dueAt?.getTime() ?? 0
    run.reads = []
    await run.pass({ parts: noticed() }, worker)
    expect(run.reads.map(({ feed }) => feed)).toEqual(['two'])
    expect(await run.news()).toEqual([id])
  })

  test('after a lost subscription, a notification does not postpone the comparison', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    worker.requireRounds()
    await run.pass({ parts: noticed('x') }, worker)
    expect([...run.rounds].sort()).toEqual(run.allFolders)
  })

  test('main folders of an account whose provider refuses notifications', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    run.reads = []
    const id = run.deliver()
    run.deliver({ folderId: 'two' })
    await run.pass({ parts: { messages: new Map(), specialUses: ['\\Inbox', '\\Sent'] } }, worker)
    expect(run.reads).toHaveLength(2)
    expect(await run.news()).toEqual([id])
  })
})

function inbox(run: PassScene): string {
  return run.model.folder('\\Inbox').id
}
