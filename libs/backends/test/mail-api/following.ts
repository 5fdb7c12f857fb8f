import { expect } from '@jest/globals'
import { type MailApi, maxCursorLength } from '../../src/mail-api/index.ts'
import {
  type CreateEnvironment,
  type DefineCase,
  folderOf,
  listAll,
  mail,
  type MailApiEnvironment,
  signal,
} from './environment.ts'
import { FeedIndex, snapshotOf } from './feed-index.ts'

/** States of all messages in the mailbox, read by lists and gets of the mail API. */
async function actualSnapshot(api: MailApi): Promise<Record<string, object>> {
  const ids = new Set(await listAll(api, {}))
  for (const { id: folderId } of await api.folders(signal))
    for (const id of await listAll(api, { folderId })) ids.add(id)
  const messages = []
  const all = [...ids]
  for (let start = 0; start < all.length; start += 100)
    messages.push(...(await api.getMessages(all.slice(start, start + 100), {}, signal)))
  return snapshotOf(messages)
}

async function expectEqual(index: FeedIndex, { api }: MailApiEnvironment): Promise<void> {
  await index.follow()
  expect(index.snapshot()).toEqual(await actualSnapshot(api))
}

export function followingCases(create: CreateEnvironment, test: DefineCase): void {
  test('feeds: one for the mailbox or one per folder, with distinct ids', async () => {
    await using environment = await create()
    const { api } = environment
    const folders = await api.folders(signal)
    const feeds = api.feeds(folders)
    expect(new Set(feeds.map(({ id }) => id)).size).toBe(feeds.length)
    if (api.traits.placement === 'labels')
      expect(feeds.map(({ folderId }) => folderId)).toEqual([undefined])
    else
      expect(new Set(feeds.map(({ folderId }) => folderId))).toEqual(
        new Set(folders.map(({ id }) => id)),
      )
  })

  test('changes: empty mailbox, completes a full round without messages', async () => {
    await using environment = await create()
    const index = new FeedIndex(environment.api)
    await index.follow()
    expect(index.snapshot()).toEqual({})
  })

  test('changes: first round, names all messages with flags and labels in pages', async () => {
    await using environment = await create()
    const { api } = environment
    for (let count = 0; count < 5; count++) {
      const id = await environment.deliver(mail(`m${count}`), { unseen: count % 2 === 0 })
      if (count > 2) await api.updateMessages([id], { flagged: true }, signal)
    }
    const index = new FeedIndex(api, 2)
    await expectEqual(index, environment)
    expect(Object.keys(index.snapshot())).toHaveLength(5)
    for (const cursor of index.cursors.values()) {
      expect(cursor.length).toBeLessThanOrEqual(maxCursorLength)
      expect(cursor).not.toMatch(/^https?:/)
    }
    const [feed = { id: '' }] = api.feeds(await api.folders(signal))
    const first = await api.changes(feed, { limit: 2 }, signal)
    expect(first).toMatchObject({ full: true, removed: [] })
    expect(first.changed.length).toBeLessThanOrEqual(2)
  })

  test('changes: every kind of change, reported once the round is complete', async () => {
    await using environment = await create()
    const { api } = environment
    const [inbox, target] = [
      await folderOf(api, '\\Inbox'),
      await api.createFolder({ name: 'Later' }, signal),
    ]
    const ids: string[] = []
    for (let count = 0; count < 6; count++) ids.push(await environment.deliver(mail(`m${count}`)))
    const index = new FeedIndex(api)
    await expectEqual(index, environment)
    const [one = '', two = '', three = '', four = ''] = ids
    await environment.deliver(mail('new'))
    await api.updateMessages([one], { unseen: false, flagged: true }, signal)
    await api.moveMessages([two], { to: target.id, from: inbox.id }, signal)
    await api.trashMessages([three], signal)
    if (api.traits.removes) await api.removeMessages([four], signal)
    await expectEqual(index, environment)
    const label = api.traits.placement === 'labels' ? target.id : 'red'
    await api.updateMessages([one], { addLabels: [label] }, signal)
    await api.updateMessages([one], { unseen: true }, signal)
    await api.deleteFolder(target.id, signal)
    const draft = await api.depositDraft(Buffer.from(mail('draft')), {}, signal)
    await expectEqual(index, environment)
    await api.discardDraft(draft.id, signal)
    await expectEqual(index, environment)
    expect(index.messages.has(draft.messageId)).toBe(false)
  })

  test('changes: nothing changed, completes with empty pages', async () => {
    await using environment = await create()
    const { api } = environment
    await environment.deliver(mail('a'))
    const index = new FeedIndex(api)
    await index.follow()
    for (const feed of api.feeds(await api.folders(signal))) {
      const cursor = index.cursors.get(feed.id) ?? ''
      const page = await api.changes(feed, { cursor, limit: 100 }, signal)
      expect(page).toMatchObject({ full: false, changed: [], removed: [], complete: true })
    }
  })

  test('changes: same cursor again, reports the same changes again', async () => {
    await using environment = await create()
    const { api } = environment
    const index = new FeedIndex(api)
    await index.follow()
    const id = await environment.deliver(mail('a'))
    const inbox = await folderOf(api, '\\Inbox')
    const feeds = api.feeds(await api.folders(signal))
    const feed = feeds.find(({ folderId }) => folderId === inbox.id) ?? feeds[0]
    const cursor = index.cursors.get(feed?.id ?? '') ?? ''
    for (let time = 0; time < 2; time++) {
      const { changed } = await api.changes(feed ?? { id: '' }, { cursor, limit: 100 }, signal)
      expect(changed).toEqual([expect.objectContaining({ id, unseen: true })])
    }
  })

  test('changes: message moved there and back between two rounds, stays in the index', async () => {
    await using environment = await create()
    const { api } = environment
    const inbox = await folderOf(api, '\\Inbox')
    const target = await api.createFolder({ name: 'Later' }, signal)
    const id = await environment.deliver(mail('a'))
    const index = new FeedIndex(api)
    await index.follow()
    const away = await api.moveMessages([id], { to: target.id, from: inbox.id }, signal)
    const there = away.newIds.get(id) ?? id
    await api.moveMessages([there], { to: inbox.id, from: target.id }, signal)
    await expectEqual(index, environment)
  })

  test('changes: expired cursor, fails with stale-cursor, a full round repairs the index', async () => {
    await using environment = await create()
    const { api } = environment
    const gone = await environment.deliver(mail('gone'))
    await environment.deliver(mail('stays'))
    const index = new FeedIndex(api)
    await index.follow()
    await api.trashMessages([gone], signal)
    if (api.traits.removes) await api.removeMessages([gone], signal)
    await environment.deliver(mail('new'))
    environment.expireCursors()
    for (const feed of api.feeds(await api.folders(signal))) {
      const cursor = index.cursors.get(feed.id) ?? ''
      await expect(api.changes(feed, { cursor, limit: 100 }, signal)).rejects.toMatchObject({
        failure: 'stale-cursor',
        warning: expect.any(String),
      })
    }
    index.restartAll()
    await expectEqual(index, environment)
  })

  test('changes: deleted folder, its feed fails with folder-missing', async () => {
    await using environment = await create()
    const { api } = environment
    if (api.traits.placement === 'labels') return
    const folder = await api.createFolder({ name: 'Gone' }, signal)
    const feed = { id: folder.id, folderId: folder.id }
    const { cursor } = await api.changes(feed, { limit: 10 }, signal)
    await api.deleteFolder(folder.id, signal)
    await expect(api.changes(feed, { cursor, limit: 10 }, signal)).rejects.toMatchObject({
      failure: 'folder-missing',
    })
  })
}
