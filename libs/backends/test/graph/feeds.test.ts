import { describe, expect, test } from '@jest/globals'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import type { FakeMailbox } from '@posthorn/testkit/graph-fake'
import { mail, signal } from '../mail-api/environment.ts'
import { FeedIndex, snapshotOf } from '../mail-api/feed-index.ts'
import { startGraph } from './environment.ts'

const raw = (subject: string) => Buffer.from(mail(subject))
const delta = 'GET /mailFolders/{mailFolder-id}/messages/delta()'

function snapshotOfMailbox(mailbox: FakeMailbox): Record<string, object> {
  return snapshotOf(
    mailbox.list().map(({ id, folderId, categories, isRead, flagStatus, isDraft }) => ({
      id,
      folderId,
      labels: categories,
      unseen: !isRead,
      flagged: flagStatus === 'flagged',
      draft: isDraft,
    })),
  )
}

/** Makes one random change in the Graph mailbox, as another client would. */
function change(mailbox: FakeMailbox, random: SeededRandom): void {
  const all = mailbox.list()
  const message = all[random.below(all.length)]
  const folders = [...mailbox.folders.keys()]
  const dice = random.below(10)
  if (!message || dice < 3) mailbox.deliver({ raw: raw('x') })
  else if (dice < 4) mailbox.remove(message)
  else if (dice < 7) mailbox.move(message, folders[random.below(folders.length)] ?? '')
  else {
    message.isRead = random.happens(0.5)
    message.categories = random.happens(0.5) ? ['red'] : []
    mailbox.touch(message, ['isRead', 'categories'])
  }
}

describe('graph feeds', () => {
  test.each([
    ['empty pages and repeated entries', { emptyPages: true, replays: true, maxPage: 3 }],
    [
      'lost returns, removals with another reason',
      { losesReturns: true, reason: 'changed' as const },
    ],
    ['an unknown parent', { unknownParent: 'AQMkUnknown=' }],
    ['states that live for one link', { liveLinks: 1, maxPage: 2 }],
  ])('changes: random changes with %s, the index equals the mailbox', async (_name, faults) => {
    await using setup = await startGraph()
    const { fake, api } = setup
    Object.assign(fake.delta.faults, faults)
    for (const name of ['one', 'two']) fake.mailbox.addFolder({ name })
    const random = new SeededRandom(1)
    const index = new FeedIndex(api, 5)
    for (let round = 0; round < 12; round++) {
      for (let left = random.below(30); left > 0; left--) change(fake.mailbox, random)
      if (round === 6) fake.delta.expire()
      await index.followOrRestart()
      expect(index.snapshot()).toEqual(snapshotOfMailbox(fake.mailbox))
    }
    for (const { query } of fake.server.requests(delta)) expect(query.has('$top')).toBe(false)
  })

  test('changes: 1,000 messages, are 2 pages and each has the preferred size', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    for (let count = 0; count < 1_000; count++) fake.mailbox.deliver({ raw: raw('x') })
    const id = fake.mailbox.folder('inbox').id
    const feed = { id, folderId: id }
    const first = await api.changes(feed, { limit: 500 }, signal)
    const second = await api.changes(feed, { cursor: first.cursor, limit: 500 }, signal)
    expect([first.changed.length, second.changed.length]).toEqual([500, 500])
    expect(second.complete).toBe(true)
    expect(fake.server.requests(delta)).toHaveLength(2)
  })

  test('changes: message deleted during a full round, is reported after it', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const [first, ...others] = ['a', 'b', 'c'].map((each) =>
      fake.mailbox.deliver({ raw: raw(each) }),
    )
    const id = fake.mailbox.folder('inbox').id
    const feed = { id, folderId: id }
    const page = await api.changes(feed, { limit: 1 }, signal)
    for (const message of [first, ...others]) if (message) fake.mailbox.remove(message)
    let { cursor, complete } = page
    while (!complete) {
      const next = await api.changes(feed, { cursor, limit: 10 }, signal)
      expect(next).toMatchObject({ full: true, removed: [] })
      ;({ cursor, complete } = next)
    }
    const after = await api.changes(feed, { cursor, limit: 10 }, signal)
    expect(after).toMatchObject({ full: false, complete: true })
    expect(after.removed).toEqual(expect.arrayContaining(page.changed.map((each) => each.id)))
  })

  test.each([
    [410, 'syncStateNotFound', true],
    [400, 'SyncStateInvalid', false],
    [400, 'BadRequest', false],
    [404, 'SyncStateNotFound', false],
    [409, 'resyncRequired', false],
  ])(
    'changes: state lost with %i %s, is stale-cursor with a warning',
    async (status, code, location) => {
      await using setup = await startGraph()
      const { fake, api } = setup
      const id = fake.mailbox.folder('inbox').id
      const feed = { id, folderId: id }
      const { cursor } = await api.changes(feed, { limit: 10 }, signal)
      fake.delta.faults.lost = { status, code, location }
      fake.delta.expire()
      await expect(api.changes(feed, { cursor, limit: 10 }, signal)).rejects.toMatchObject({
        failure: 'stale-cursor',
        warning: 'syncStateNotFound',
      })
    },
  )

  test.each(['ErrorItemNotFound', 'ErrorFolderNotFound', 'ResourceNotFound'])(
    'changes: link that is missing with %s, is stale-cursor unless its folder is missing, too',
    async (code) => {
      await using setup = await startGraph()
      const { fake, api } = setup
      const folder = fake.mailbox.addFolder({ name: 'one' })
      const { id } = folder
      const feed = { id, folderId: id }
      const { cursor } = await api.changes(feed, { limit: 10 }, signal)
      fake.delta.faults.lost = { status: 404, code }
      fake.delta.expire()
      const follow = () => api.changes(feed, { cursor, limit: 10 }, signal)
      await expect(follow()).rejects.toMatchObject({ failure: 'stale-cursor' })
      expect(await api.changes(feed, { limit: 10 }, signal)).toMatchObject({ full: true })
      // The first deletion moves the Graph folder below Deleted Items, where its delta link
      // (position in the changes) is lost, too.
      fake.mailbox.deleteFolder(folder)
      fake.mailbox.deleteFolder(folder)
      await expect(follow()).rejects.toMatchObject({ failure: 'folder-missing' })
    },
  )

  test('changes: in the cloud without delta, lists and compares', async () => {
    await using setup = await startGraph({ cloud: 'china' })
    const { fake, api } = setup
    const messages = ['a', 'b', 'c', 'd'].map((each) => fake.mailbox.deliver({ raw: raw(each) }))
    const index = new FeedIndex(api, 2)
    await index.follow()
    expect(index.snapshot()).toEqual(snapshotOfMailbox(fake.mailbox))
    fake.mailbox.deliver({ raw: raw('new') })
    await index.follow()
    expect(index.snapshot()).toEqual(snapshotOfMailbox(fake.mailbox))
    if (messages[1]) fake.mailbox.remove(messages[1])
    fake.clock.advance(15 * 60_000)
    await index.follow()
    expect(index.snapshot()).toEqual(snapshotOfMailbox(fake.mailbox))
    expect(fake.server.requests(delta)).toEqual([])
  })
})
