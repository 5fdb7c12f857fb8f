import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { FeedScene, memoryWorld, postgresWorlds, type PostgresWorlds } from './feeds/feed-world.ts'

// Moves of messages between folders, where the messages cannot be read for a while.

let postgres: PostgresWorlds
beforeAll(async () => {
  postgres = await postgresWorlds()
})
afterAll(() => postgres.drop())

describe.each(['memory', 'Postgres'])('MailboxFeeds with tables in %s', (kind) => {
  /**
   * Mailbox with further folders, whose feeds (lists of changes) are read in the order of `ids`.
   */
  const scene = async (...ids: string[]) => {
    const world = kind === 'memory' ? memoryWorld() : await postgres.open()
    const run = new FeedScene(world, { placement: 'folder' })
    for (const id of ids)
      run.model.store.addFolder({ id, path: [id], editable: true, assignable: true })
    return run
  }

  test.each([
    { target: 'first', hiddenReads: 2, delay: { missingRetries: 1, missingDelay: 1_000 } },
    { target: 'last', hiddenReads: 2, delay: { missingRetries: 1, missingDelay: 1_000 } },
    { target: 'first', hiddenReads: 4, delay: { missingRetries: 3, missingDelay: 7_000 } },
  ])(
    'a move that cannot be read $hiddenReads times, to the folder whose feed is read $target',
    async ({ target, hiddenReads, delay }) => {
      const run = await scene('first', 'last')
      const source = target === 'first' ? 'last' : 'first'
      const id = run.deliver({ folderId: source })
      await run.sync()
      run.model.change(id, { folderId: target })
      run.model.message(id).hiddenReads = hiddenReads
      for (let next = await run.sync(); next; next = await run.sync()) run.time = next.getTime()
      expect((await run.world.events()).slice(1)).toMatchObject([
        { event: 'messageDeleted', path: source, data: { id } },
        { event: 'messageNew', path: target, data: { id, ...delay } },
      ])
    },
  )

  test.each([2, 100])(
    'a move whose removal is reported later, of a message that cannot be read %i times',
    async (hiddenReads) => {
      const run = await scene('one', 'two')
      const id = run.deliver({ folderId: 'one' })
      await run.sync()
      const { api } = run.model
      const changes = api.changes.bind(api)
      api.changes = async (feed, position, signal) =>
        feed.id === 'one'
          ? { full: false, changed: [], removed: [], cursor: position.cursor ?? '', complete: true }
          : changes(feed, position, signal)
      run.model.change(id, { folderId: 'two' })
      run.model.message(id).hiddenReads = hiddenReads
      let next = await run.sync()
      expect(await run.eventNames()).toEqual(['messageNew'])
      for (; next; next = await run.sync()) run.time = next.getTime()
      api.changes = changes
      await run.sync()
      expect((await run.world.events()).slice(1)).toMatchObject([
        { event: 'messageDeleted', path: 'one', data: { id } },
        hiddenReads === 2
          ? { event: 'messageNew', path: 'two', data: { id, missingRetries: 2 } }
          : { event: 'messageMissing', path: 'two', data: { id, missingRetries: 6 } },
      ])
    },
  )

  test.each(['first', 'last'])(
    'a message that moves to the folder whose feed is read %s before it can be read: announced there',
    async (target) => {
      const run = await scene('first', 'last')
      await run.sync()
      const id = run.deliver({ folderId: target === 'first' ? 'last' : 'first', hiddenReads: 4 })
      await run.sync()
      run.model.change(id, { folderId: target })
      for (let next = await run.sync(); next; next = await run.sync()) run.time = next.getTime()
      expect(await run.world.events()).toMatchObject([
        { event: 'messageNew', path: target, data: { id } },
      ])
    },
  )

  test('a message that cannot be read and is deleted: no event', async () => {
    const run = await scene()
    await run.sync()
    const id = run.deliver({ hiddenReads: 100 })
    expect(await run.sync()).toBeDefined()
    run.model.remove(id)
    expect(await run.sync()).toBeUndefined()
    expect(await run.eventNames()).toEqual([])
  })
})
