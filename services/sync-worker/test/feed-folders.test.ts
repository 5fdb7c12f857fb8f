import { describe, expect, test } from '@jest/globals'
import { MailApiError } from '@posthorn/backends/mail-api'
import { FeedScene, memoryWorld } from './feeds/feed-world.ts'

// Folders at a mail API that listings leave out, that are deleted, or that are created during a
// sync pass.

const old = new Date('2026-10-01T12:00:00Z')
const mustYield = () => true

/** Mailbox with folders whose listings can be incomplete. */
class FolderScene extends FeedScene {
  /** Ids of folders that the provider's list of folders leaves out. */
  readonly hidden = new Set<string>()

  constructor() {
    super(memoryWorld(), { placement: 'folder' })
    const { api } = this.model
    const folders = api.folders.bind(api)
    api.folders = async (signal) => (await folders(signal)).filter(({ id }) => !this.hidden.has(id))
  }

  static async synced(...ids: string[]): Promise<FolderScene> {
    const scene = new FolderScene()
    for (const id of ids) scene.addFolder(id)
    await scene.sync()
    return scene
  }

  addFolder(id: string, path = [id]): void {
    this.model.store.addFolder({ id, path, editable: true, assignable: true })
  }

  /** Number of requests for single folders at the provider so far. */
  get requests(): number {
    return this.model.api.calls.get('folderCounts') ?? 0
  }

  /** Events of messages and folders as `name path`, from the event at a position on. */
  async eventsFrom(at: number): Promise<string[]> {
    return (await this.world.events()).slice(at).map(({ event, path }) => `${event} ${path}`)
  }
}

describe('MailboxFeeds: folders that a listing leaves out', () => {
  test('an existing folder: requested once, its changes are read, no folder events', async () => {
    const run = await FolderScene.synced('one')
    run.deliver({ folderId: 'one', receivedAt: old })
    const worker = run.worker()
    await run.pass({}, worker)
    const folderEvents = await run.world.folderEvents()
    run.hidden.add('one')
    await run.pass({}, worker)
    run.deliver({ folderId: 'one' })
    await run.pass({}, worker)
    expect(run.requests).toBe(1)
    run.hidden.clear()
    await run.pass({}, worker)
    expect(await run.eventsFrom(0)).toEqual(['messageNew one', 'messageNew one'])
    expect(await run.world.folderEvents()).toEqual(folderEvents)
    expect(run.requests).toBe(1)
  })

  test('a deleted folder: its events after one request', async () => {
    const run = await FolderScene.synced('one')
    run.deliver({ folderId: 'one' })
    await run.sync()
    run.model.store.removeFolder('one')
    await run.sync()
    expect(await run.eventsFrom(1)).toEqual(['messageDeleted one'])
    expect((await run.world.folderEvents()).at(-1)).toEqual(['mailboxDeleted', 'one'])
    expect(run.requests).toBe(1)
    await run.sync()
    expect(run.requests).toBe(1)
  })

  test('a folder that is deleted while listings leave it out', async () => {
    const run = await FolderScene.synced('one')
    const worker = run.worker()
    run.deliver({ folderId: 'one' })
    run.hidden.add('one')
    await run.pass({}, worker)
    run.model.store.removeFolder('one')
    await run.pass({}, worker)
    await run.pass({}, worker)
    expect(await run.eventsFrom(1)).toEqual(['messageDeleted one'])
    expect((await run.world.folderEvents()).at(-1)).toEqual(['mailboxDeleted', 'one'])
  })

  test('a folder without an answer is not deleted', async () => {
    const run = await FolderScene.synced('one')
    run.deliver({ folderId: 'one' })
    await run.sync()
    run.model.store.removeFolder('one')
    const { api } = run.model
    const folderCounts = api.folderCounts.bind(api)
    api.folderCounts = () => Promise.reject(new MailApiError('unavailable', 'no answer'))
    await expect(run.sync()).rejects.toThrow('no answer')
    expect(await run.eventsFrom(1)).toEqual([])
    api.folderCounts = folderCounts
    await run.sync()
    expect(await run.eventsFrom(1)).toEqual(['messageDeleted one'])
  })

  test('many folders: new messages are announced first, other passes between two requests', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `folder ${at}`)
    const run = await FolderScene.synced(...ids)
    const worker = run.worker()
    for (const id of ids) run.hidden.add(id)
    run.model.store.removeFolder('folder 7')
    const seen: [requests: number, events: number][] = []
    for (let hasRounds = true; hasRounds;) {
      run.deliver()
      hasRounds = (await run.pass({ mustYield }, worker)).hasRounds
      seen.push([run.requests, (await run.eventNames()).length])
    }
    expect(seen).toEqual(ids.map((_, at) => [at + 1, at + 1]))
    expect((await run.world.folderEvents()).at(-1)).toEqual(['mailboxDeleted', 'folder 7'])
  })

  test('a folder that is excluded by the paths of the account is dropped without a request', async () => {
    const run = await FolderScene.synced('one', 'two')
    run.deliver({ folderId: 'one' })
    await run.sync()
    run.paths = ['two']
    run.hidden.add('one')
    await run.sync()
    expect(await run.eventsFrom(1)).toEqual(['messageDeleted one'])
    expect(run.requests).toBe(0)
  })

  test('a folder that was deleted and created again: mailboxDeleted before mailboxNew', async () => {
    const run = await FolderScene.synced('one')
    run.model.store.removeFolder('one')
    run.addFolder('other', ['one'])
    await run.sync()
    expect((await run.world.folderEvents()).slice(-2)).toEqual([
      ['mailboxDeleted', 'one'],
      ['mailboxNew', 'one'],
    ])
  })

  test('a folder that returns while its messages are being dropped: all of them are indexed', async () => {
    const run = await FolderScene.synced('one')
    const ids = Array.from({ length: 60 }, () => run.deliver({ folderId: 'one', receivedAt: old }))
    const worker = run.worker()
    await run.pass({}, worker)
    const { api } = run.model
    const folderCounts = api.folderCounts.bind(api)
    api.folderCounts = () => Promise.reject(new MailApiError('folder-missing', 'not found'))
    run.hidden.add('one')
    expect(await run.pass({ mustYield }, worker)).toMatchObject({ hasRounds: true })
    expect((await run.eventNames()).at(-1)).toBe('messageDeleted')
    api.folderCounts = folderCounts
    run.hidden.clear()
    while ((await run.pass({ mustYield }, worker)).hasRounds);
    const present = new Set<string>()
    for (const { event, data } of await run.world.events())
      if (event === 'messageDeleted') present.delete(String(data['id']))
      else present.add(String(data['id']))
    expect([...present].sort()).toEqual([...ids].sort())
    run.model.store.removeFolder('one')
    while ((await run.pass({ mustYield }, worker)).hasRounds);
    const deleted = (await run.eventNames()).filter((name) => name === 'messageDeleted')
    const announced = (await run.eventNames()).filter((name) => name === 'messageNew')
    expect(deleted.length).toBe(announced.length)
  })
})

describe('MailboxFeeds: folders created since the last listing', () => {
  test.each([{ paths: [] }, { paths: ['one', 'new'] }])(
    'a notified message that moved there: messageDeleted and messageNew in one pass ($paths)',
    async ({ paths }) => {
      const run = new FolderScene()
      run.paths = paths
      run.addFolder('one')
      const id = run.deliver({ folderId: 'one' })
      const worker = run.worker()
      await run.pass({}, worker)
      run.addFolder('new')
      run.model.change(id, { folderId: 'new' })
      const parts = { messages: new Map([[id, false]]), specialUses: [] }
      await run.pass({ parts }, worker)
      expect(await run.eventsFrom(1)).toEqual(['messageDeleted one', 'messageNew new'])
    },
  )

  test('a notified message that moved to a folder which the account excludes: no listing', async () => {
    const run = new FolderScene()
    run.paths = ['one']
    run.addFolder('one')
    run.addFolder('two')
    const id = run.deliver({ folderId: 'one' })
    const worker = run.worker()
    await run.pass({}, worker)
    const { calls } = run.model.api
    const listings = calls.get('folders')
    run.model.change(id, { folderId: 'two' })
    await run.pass({ parts: { messages: new Map([[id, false]]), specialUses: [] } }, worker)
    expect(await run.eventsFrom(1)).toEqual(['messageDeleted one'])
    expect(calls.get('folders')).toBe(listings)
  })
})
