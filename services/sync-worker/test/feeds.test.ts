import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { MailApiModelOptions } from '@posthorn/testkit/mail-api-model'
import type { FeedState } from '../src/drivers/api/feeds/stored/feed-store.ts'
import { FeedScene, memoryWorld, postgresWorlds, type PostgresWorlds } from './feeds/feed-world.ts'

let postgres: PostgresWorlds
beforeAll(async () => {
  postgres = await postgresWorlds()
})
afterAll(() => postgres.drop())

const labels: MailApiModelOptions = { placement: 'labels' }
const folder: MailApiModelOptions = { placement: 'folder' }

describe.each(['memory', 'Postgres'])('MailboxFeeds with tables in %s', (kind) => {
  const scene = async (options: MailApiModelOptions) =>
    new FeedScene(kind === 'memory' ? memoryWorld() : await postgres.open(), options)

  const gets = ({ model }: FeedScene) => model.api.calls.get('getMessages') ?? 0

  test.each([labels, folder])(
    'initial sync: lists old messages without getting them, and announces later ones ($placement)',
    async (options) => {
      const run = await scene(options)
      run.deliverOld(40)
      await run.sync()
      expect(gets(run)).toBe(0)
      expect(await run.eventNames()).toEqual([])
      const id = run.deliver()
      await run.sync()
      expect(await run.world.events()).toMatchObject([
        { event: 'messageNew', data: { id, seemsLikeNew: true } },
      ])
    },
  )

  test('initial sync: announces messages since notifyFrom', async () => {
    const run = await scene(labels)
    run.deliverOld(3)
    const id = run.deliver()
    await run.sync()
    expect(await run.world.events()).toMatchObject([{ event: 'messageNew', data: { id } }])
  })

  test('initial sync: continues after the last committed page', async () => {
    const run = await scene({ placement: 'folder', feedFaults: { maxPage: 5 } })
    run.deliverOld(50)
    const pages = () => run.model.api.calls.get('changes') ?? 0
    const failing = run.model.api.changes.bind(run.model.api)
    let remaining = 6
    run.model.api.changes = (...call) =>
      remaining-- > 0 ? failing(...call) : Promise.reject(new Error('crash'))
    await expect(run.sync()).rejects.toThrow('crash')
    run.model.api.changes = failing
    await run.sync()
    // Expects at most ten pages of the inbox's list of changes, the page that follows, and two
    // pages for each of the empty folders.
    expect(pages()).toBeLessThanOrEqual(10 + 1 + 2 * 4)
    expect(await run.eventNames()).toEqual([])
  })

  test('folders and labels: found, created, renamed and deleted ones have events', async () => {
    const run = await scene({ placement: 'folder' })
    await run.sync()
    const initial = await run.world.folderEvents()
    expect(initial).toContainEqual(['mailboxNew', 'Posteingang'])
    const { store } = run.model
    const own = { id: 'own', editable: true, assignable: true }
    store.addFolder({ ...own, path: ['Work', 'Old'] })
    await run.sync()
    store.folders.set('own', { ...own, path: ['Work', 'New'] })
    await run.sync()
    store.removeFolder('own')
    await run.sync()
    await run.sync()
    expect((await run.world.folderEvents()).slice(initial.length)).toEqual([
      ['mailboxNew', 'Work/Old'],
      ['mailboxDeleted', 'Work/Old'],
      ['mailboxNew', 'Work/New'],
      ['mailboxDeleted', 'Work/New'],
    ])
  })

  test('paths of the account: messages of other folders are not synced', async () => {
    const run = await scene({ placement: 'folder' })
    run.paths = ['\\Junk']
    await run.sync()
    const { id: junk = '' } = run.model.store.findFolder('\\Junk') ?? {}
    run.deliver()
    const id = run.deliver({ folderId: junk })
    await run.sync()
    expect(await run.world.events()).toMatchObject([{ event: 'messageNew', data: { id } }])
    run.model.change(id, { folderId: run.model.store.findFolder('\\Inbox')?.id ?? '' })
    await run.sync()
    expect((await run.eventNames()).at(-1)).toBe('messageDeleted')
  })

  test('a message added and deleted between two passes has no events', async () => {
    const run = await scene(labels)
    await run.sync()
    run.model.remove(run.deliver())
    await run.sync()
    expect(await run.eventNames()).toEqual([])
  })

  test('labels that are created during a pass: events have their names', async () => {
    const run = await scene(labels)
    const [old = ''] = run.deliverOld()
    await run.sync()
    const own = { editable: true, assignable: true }
    const ids: string[] = []
    run.model.onCall = ({ method, phase }) => {
      if (method !== 'changes' || phase !== 'before' || ids.length > 0) return
      run.model.store.addFolder({ ...own, id: 'Label_1', path: ['One'] })
      run.model.store.addFolder({ ...own, id: 'Label_2', path: ['Two'] })
      run.model.change(old, { addLabels: ['Label_1'] })
      ids.push(run.deliver({ labels: ['Label_2'] }))
    }
    await run.sync()
    expect(await run.world.events()).toMatchObject([
      { event: 'messageUpdated', data: { id: old, changes: { labels: { added: ['One'] } } } },
      { event: 'messageNew', data: { id: ids[0], labels: expect.arrayContaining(['Two']) } },
    ])
  })

  test('a draft does not seem new, a message with its Message-ID that arrives later does', async () => {
    const run = await scene(labels)
    await run.sync()
    const source = 'Message-ID: <draft@x>\r\nSubject: s\r\n\r\nx'
    const draft = run.model.deliver(source, { draft: true })
    await run.sync()
    run.model.remove(draft.id)
    run.model.deliver(source)
    await run.sync()
    expect(
      (await run.world.events()).map(({ event, data }) => [event, data['seemsLikeNew']]),
    ).toEqual([
      ['messageNew', false],
      ['messageDeleted', undefined],
      ['messageNew', true],
    ])
  })

  test('a page that is read again adds no event', async () => {
    const run = await scene({ placement: 'labels', feedFaults: { replays: 1 } })
    const [id = ''] = run.deliverOld()
    await run.sync()
    run.model.change(id, { unseen: false })
    for (let pass = 0; pass < 5; pass++) await run.sync()
    expect(await run.world.events()).toMatchObject([
      {
        event: 'messageUpdated',
        path: '\\All',
        data: { id, changes: { flags: { added: ['\\Seen'], removed: [], value: ['\\Seen'] } } },
      },
    ])
  })

  test('a stale cursor: one syncWarning, each difference once, no mailboxReset', async () => {
    const run = await scene(labels)
    const [kept = '', removed = ''] = run.deliverOld(30)
    await run.sync()
    run.model.change(kept, { flagged: true })
    run.model.remove(removed)
    const added = run.deliver()
    run.model.store.expireHistory()
    for (let pass = 0; pass < 3; pass++) await run.sync()
    const events = await run.world.events()
    expect(events.map(({ event, data }) => `${event} ${String(data['id'])}`).sort()).toEqual([
      `messageDeleted ${removed}`,
      `messageNew ${added}`,
      `messageUpdated ${kept}`,
    ])
    expect(await run.world.warnings()).toEqual([['historyIdExpired', '\\All']])
  })

  test.each(['leaf', 'index'] as const)(
    'a lost %s: mailboxReset with syncStateLost, old messages are not announced again',
    async (lost) => {
      const run = await scene(labels)
      run.deliverOld(30)
      await run.sync()
      await run.world.lose(lost)
      run.time += 5_000
      await run.sync()
      await run.sync()
      const id = run.deliver()
      await run.sync()
      expect(await run.world.events()).toMatchObject([
        { event: 'mailboxReset', path: '\\All', data: { reason: 'syncStateLost' } },
        { event: 'messageNew', data: { id } },
      ])
    },
  )

  test('a flush keeps ids: no mailboxReset, old messages are not announced', async () => {
    const run = await scene(folder)
    run.deliverOld(30)
    await run.sync()
    await run.world.flush()
    await run.sync()
    expect(await run.eventNames()).toEqual([])
    expect(await run.world.countLeaves('')).toBeGreaterThan(3)
  })

  test('a message that cannot be read: retries after 1, 2, 4, 8, 16 and 30 s, then messageMissing', async () => {
    const run = await scene(labels)
    await run.sync()
    const id = run.deliver({ hiddenReads: 100 })
    const delays: number[] = []
    for (let next = await run.sync(); next; next = await run.sync()) {
      delays.push(next.getTime() - run.time)
      run.time = next.getTime()
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
    expect(await run.world.events()).toEqual([
      {
        event: 'messageMissing',
        path: '\\All',
        data: { id, missingRetries: 6, missingDelay: 61_000 },
      },
    ])
  })

  test('a message that can be read later: messageNew with the number of retries', async () => {
    const run = await scene(labels)
    await run.sync()
    const id = run.deliver({ hiddenReads: 2 })
    for (let next = await run.sync(); next; next = await run.sync()) run.time = next.getTime()
    expect(await run.world.events()).toMatchObject([
      { event: 'messageNew', data: { id, missingRetries: 2, missingDelay: 3_000 } },
    ])
  })

  test('a move between folders: messageDeleted there, messageNew here without seemsLikeNew', async () => {
    const run = await scene(folder)
    await run.sync()
    const id = run.deliver()
    await run.sync()
    run.model.change(id, { folderId: run.model.folder('\\Trash').id })
    await run.sync()
    expect((await run.world.events()).slice(1)).toMatchObject([
      { event: 'messageDeleted', path: 'Posteingang', data: { id, flags: [] } },
      { event: 'messageNew', path: 'Gelöschte Elemente', data: { id, seemsLikeNew: false } },
    ])
  })

  test('a move between labels: messageUpdated of the one message in \\All', async () => {
    const run = await scene(labels)
    const [id = ''] = run.deliverOld()
    await run.sync()
    run.model.change(id, { addLabels: ['TRASH'], removeLabels: ['INBOX'] })
    await run.sync()
    expect(await run.world.events()).toMatchObject([
      {
        event: 'messageUpdated',
        path: '\\All',
        data: { changes: { labels: { added: ['\\Trash'], removed: ['\\Inbox'] } } },
      },
    ])
  })

  test('removed from a folder and returned: read before a deletion is announced', async () => {
    const run = await scene({ placement: 'folder', feedFaults: { losesReturns: true } })
    const [id = ''] = run.deliverOld()
    await run.sync()
    run.model.change(id, { folderId: run.model.folder('\\Trash').id })
    run.model.change(id, { folderId: run.model.folder('\\Inbox').id })
    await run.sync()
    expect(await run.eventNames()).toEqual([])
  })

  test('a draft of a submission has no events until it is sent', async () => {
    const run = await scene(labels)
    await run.sync()
    await run.world.submit('<own@x>')
    const content = Buffer.from('Message-ID: <own@x>\r\nTo: a@b.example\r\n\r\nx')
    const { id } = run.model.sending.deposit(content)
    await run.sync()
    run.model.sending.release(id)
    await run.sync()
    expect(await run.world.events()).toMatchObject([
      { event: 'messageNew', data: { messageSpecialUse: '\\Sent' } },
    ])
  })

  test('a deleted folder: messageDeleted for each message', async () => {
    const run = await scene(folder)
    run.model.store.addFolder({ id: 'own', path: ['own'], editable: true, assignable: true })
    const id = run.deliver({ folderId: 'own', receivedAt: new Date(0) })
    await run.sync()
    run.model.store.removeFolder('own')
    await run.sync()
    expect(await run.world.events()).toMatchObject([
      { event: 'messageDeleted', path: 'own', data: { id } },
    ])
  })

  test('a worker without the lease stores nothing', async () => {
    const run = await scene(labels)
    await run.sync()
    const late = run.worker()
    await run.world.takeOver()
    run.deliver()
    await expect(late.sync(new AbortController().signal)).rejects.toMatchObject({ kind: 'stale' })
    expect(await run.eventNames()).toEqual([])
    await run.sync()
    expect(await run.eventNames()).toEqual(['messageNew'])
  })
})

test('PostgresFeedStore: stores and updates the feeds of 10,000 folders in one commit', async () => {
  const run = new FeedScene(await postgres.open(), folder)
  await run.sync()
  const store = run.world.store()
  const feedOf = (at: number): FeedState => ({
    feed: `feed ${at}`,
    folder: at === 0 ? null : `folder ${at}`,
    stage: 'follow',
    cursor: null,
    applied: null,
    completedAt: null,
    isInitial: false,
  })
  const feeds = Array.from({ length: 10_000 }, (_, at) => feedOf(at))
  const commit = async (changed: FeedState[]) => {
    const mailbox = await store.findMailbox()
    if (!mailbox) throw new Error('no index')
    const { epoch } = mailbox
    await store.commit({ epoch, mailbox: { ...mailbox, epoch: epoch + 1 }, feeds: changed })
  }
  await commit(feeds)
  const completedAt = new Date('2026-11-01T12:00:00.123Z')
  const changed = feeds.map((feed): FeedState =>
    feed.folder === null
      ? feed
      : { ...feed, stage: 'apply', cursor: 'c', applied: '', completedAt },
  )
  await commit(changed)
  const stored = (await store.listFeeds()).filter(({ feed }) => feed.startsWith('feed '))
  expect(new Map(stored.map((feed) => [feed.feed, feed]))).toEqual(
    new Map(changed.map((feed) => [feed.feed, feed])),
  )
})
