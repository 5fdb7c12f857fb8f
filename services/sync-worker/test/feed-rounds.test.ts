import { describe, expect, test } from '@jest/globals'
import { folderIds, hour, PassScene } from './feeds/pass-scene.ts'

// Full rounds (comparisons of all messages) that requests for other sync passes interrupt.

const mustYield = () => true
const old = new Date('2026-10-01T12:00:00Z')

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

  test('new messages are announced between two pages of a round, which then continues', async () => {
    const run = await PassScene.synced({ feedFaults: { maxPage: 5 } })
    for (let count = 0; count < 40; count++) run.deliver({ folderId: 'one', receivedAt: old })
    const worker = run.worker()
    await run.pass({}, worker)
    const before = await run.news()
    run.reads = []
    worker.requireRounds()
    for (let hasRounds = true, pass = 0; hasRounds; pass++) {
      const id = run.deliver({ folderId: 'two' })
      const pages = run.reads.length
      hasRounds = (await run.pass({ mustYield }, worker)).hasRounds
      const announced = (await run.news()).slice(before.length)
      // The feed (list of changes) of the folder with the new message may itself be in a full
      // round.
      if (run.rounds.at(-1) !== 'one') continue
      expect(announced).toContain(id)
      expect(run.reads.slice(pages).filter(({ feed }) => feed === 'one').length).toBeLessThan(3)
    }
    expect([...run.rounds].sort()).toEqual(run.allFolders)
  })

  test('a deleted folder: new messages are announced between two parts, each is read once', async () => {
    const run = await PassScene.synced()
    const ids = Array.from({ length: 60 }, () => run.deliver({ folderId: 'one', receivedAt: old }))
    run.deliverOld(60)
    const worker = run.worker()
    await run.pass({}, worker)
    const count = async (name: string) =>
      (await run.eventNames()).filter((each) => each === name).length
    const reads = run.countGets()
    run.model.store.removeFolder('one')
    expect(await run.pass({ mustYield }, worker)).toMatchObject({ hasRounds: true })
    const first = await count('messageDeleted')
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(ids.length / 2)
    const events = (await run.eventNames()).length
    run.deliver()
    // Another worker continues the interrupted full round.
    const other = run.worker()
    await run.pass({ mustYield }, other)
    expect((await run.eventNames())[events]).toBe('messageNew')
    expect(await count('messageDeleted')).toBeGreaterThan(first)
    while ((await run.pass({ mustYield }, other)).hasRounds);
    expect(await count('messageDeleted')).toBe(ids.length)
    expect(ids.map((id) => reads.get(id))).toEqual(ids.map(() => 1))
    const feeds = await run.world.store().listFeeds()
    expect(feeds.map(({ feed }) => feed)).not.toContain('one')
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
