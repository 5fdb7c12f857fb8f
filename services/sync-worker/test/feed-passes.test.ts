import { describe, expect, test } from '@jest/globals'
import { folderIds, notified, PassScene } from './feeds/pass-scene.ts'

// Sync passes over parts of a mailbox at a mail API, instead of the whole mailbox.

describe('MailboxFeeds: passes over notified messages', () => {
  test('a new message: one read of it and of its folder', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    run.reads = []
    const { calls } = run.model.api
    const before = new Map(calls)
    const id = run.deliver({ folderId: 'two' })
    const result = await run.pass({ parts: notified(id) }, worker)
    expect(result).toMatchObject({ hasChanges: true, unreported: [] })
    expect(run.reads.map(({ feed }) => feed)).toEqual(['two'])
    expect(calls.get('folders')).toBe(before.get('folders'))
    expect(calls.get('getMessages')).toBe((before.get('getMessages') ?? 0) + 1)
    expect(await run.news()).toEqual([id])
  })

  test('a new message in a folder that was renamed or moved: announced with the new path', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    const { api } = run.model
    const { signal } = new AbortController()
    const changes = [{ name: 'renamed' }, { parentId: 'three' }, {}]
    for (const change of changes) {
      await api.renameFolder('two', change, signal)
      const id = run.deliver({ folderId: 'two' })
      await run.pass({ parts: notified(id) }, worker)
    }
    const paths = ['renamed', 'three/renamed', 'three/renamed']
    const events = await run.world.events()
    const last = events.filter(({ event }) => event === 'messageNew').slice(-paths.length)
    expect(last.map(({ path }) => path)).toEqual(paths)
    // Clients must learn the new path of a mailbox before an event that names the path.
    const names = events.map(({ event, path }) => `${event} ${path}`)
    expect(names.indexOf('mailboxNew renamed')).toBeLessThan(names.indexOf('messageNew renamed'))
    expect(api.calls.get('folders')).toBe(4)
  })

  test('a new message: one request for the place of its folder, none for a special one', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    const { api } = run.model
    for (const folderId of ['two', 'three', run.model.store.findFolder('\\Inbox')?.id ?? ''])
      await run.pass({ parts: notified(run.deliver({ folderId })) }, worker)
    expect(api.calls.get('folderPlace')).toBe(2)
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
    await run.pass({ parts: notified(...ids) }, worker)
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
    await run.pass({ parts: notified(one, two, three) }, worker)
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
    api.changes = async (...call) => ({ ...(await changes(...call)), changed: [], cursor })
    const cursor =
      (await run.world.store().listFeeds()).find(({ feed }) => feed === inbox(run))?.cursor ?? ''
    const early = await run.pass({ parts: notified(id) }, worker)
    expect(early.unreported).toEqual([{ id, isNew: true }])
    const late = await run.pass({ parts: notified(id) }, worker)
    expect(late.unreported).toEqual([{ id, isNew: true }])
    api.changes = changes
    const last = await run.pass({ parts: notified(id) }, worker)
    expect(last.unreported).toEqual([])
    await run.pass({ parts: notified(id) }, worker)
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
    await run.pass({ parts: notified(id) }, worker)
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
    await run.pass({ parts: notified(id) }, worker)
    expect(await run.pass({ parts: notified(id) }, worker)).toMatchObject({ unreported: [] })
    run.time += 20_000
    expect(await run.pass({ parts: notified(id) }, worker)).toMatchObject({
      unreported: [{ id, isNew: false }],
    })
  })

  test('a message in a folder that is not listed yet: all feeds are read', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    await run.pass({}, worker)
    run.model.store.addFolder({ id: 'new', path: ['new'], editable: true, assignable: true })
    const id = run.deliver({ folderId: 'new' })
    await run.pass({ parts: notified(id) }, worker)
    expect(await run.news()).toEqual([id])
    expect(await run.world.folderEvents()).toContainEqual(['mailboxNew', 'new'])
  })

  test('a message that was moved to a folder that is not listed yet: a move, not a deletion', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    const id = run.deliver({ folderId: 'two' })
    await run.pass({}, worker)
    run.model.store.addFolder({ id: 'new', path: ['new'], editable: true, assignable: true })
    run.model.change(id, { folderId: 'new' })
    await run.pass({ parts: notified(id) }, worker)
    const events = (await run.world.events()).filter(({ data }) => data['id'] === id)
    expect(events.map(({ event, path }) => [event, path])).toEqual([
      ['messageNew', 'two'],
      ['messageDeleted', 'two'],
      ['messageNew', 'new'],
    ])
    expect(events.at(-1)?.data).toMatchObject({ seemsLikeNew: false })
  })

  test('a message in a folder that the account does not select is not waited for', async () => {
    const run = new PassScene()
    run.paths = ['one', 'two']
    const worker = run.worker()
    await run.pass({}, worker)
    run.reads = []
    const id = run.deliver({ folderId: 'three' })
    const result = await run.pass({ parts: notified(id) }, worker)
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
    expect(await run.pass({ parts: notified(id) }, worker)).toMatchObject({ unreported: [] })
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
    await run.pass({ parts: notified() }, worker)
    expect(run.reads.map(({ feed }) => feed)).toEqual(['two'])
    expect(await run.news()).toEqual([id])
  })

  test('after a lost subscription, a notification does not postpone the comparison', async () => {
    const run = await PassScene.synced()
    const worker = run.worker()
    worker.requireRounds()
    await run.pass({ parts: notified('x') }, worker)
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
