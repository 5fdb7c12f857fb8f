import { describe, expect, test } from '@jest/globals'
import {
  MailApiModel,
  type MailApiModelOptions,
  SeededRandom,
} from '@posthorn/testkit/mail-api-model'
import { isApiId, type MailApiFailure } from '../src/mail-api/index.ts'
import { mail, type MailApiEnvironment, signal } from './mail-api/environment.ts'
import { FeedIndex, snapshotOf } from './mail-api/feed-index.ts'
import { testMailApi } from './mail-api/suite.ts'

const placements = ['labels', 'folder'] as const

/** Forms of the message ids of mail providers, and the longest permitted message id. */
const ids = {
  labels: ['18c0ffee00000001', '1'],
  folder: ['AAkALg-_x=', '-_-==', `${'aB-_'.repeat(49)}===A`, `${'='.repeat(199)}-`],
}

/** HTTP statuses with which a mail provider reports each failure. */
const statuses: Partial<Record<MailApiFailure, number>> = {
  'rate-limited': 429,
  'token-rejected': 401,
  'access-denied': 403,
  unavailable: 503,
}

function modelEnvironment(options: MailApiModelOptions): MailApiEnvironment {
  const model = new MailApiModel(options)
  const passesStatus = options.placement === 'labels'
  return {
    api: model.api,
    ids: ids[options.placement],
    passesStatus,
    deliver: async (raw, placed) => model.deliver(raw, placed).id,
    hide: (id, count) => void (model.message(id).hiddenReads = count),
    expireCursors: () => model.store.expireHistory(),
    removeWatches: () => model.watches.removeAll(),
    failNext: (failure, retryAfterMs) =>
      model.failNext(failure, {
        status: statuses[failure] ?? 400,
        passesStatus,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      }),
    sent: () => model.sending.sent.map((raw) => raw.toString()),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

for (const placement of placements) {
  testMailApi(`model with placement ${placement}`, async () => modelEnvironment({ placement }))
  testMailApi(`irregular model with placement ${placement}`, async () =>
    modelEnvironment({
      placement,
      maxListPage: 1,
      feedFaults: { maxPage: 2, losesReturns: true },
    }),
  )
}

/** Makes one random change in the modelled mailbox, as another mail client would. */
function changeSomething(model: MailApiModel, random: SeededRandom, folders: string[]): void {
  const all = [...model.store.messages.keys()]
  const id = all[random.below(all.length)]
  const folderId = folders[random.below(folders.length)] ?? ''
  const dice = random.below(10)
  if (id === undefined || dice < 3) model.deliver(mail('x'), { folderId })
  else if (dice < 4) model.remove(id)
  else if (dice < 6) model.change(id, { unseen: random.happens(0.5), flagged: random.happens(0.5) })
  else if (model.api.traits.placement === 'folder' && dice < 8) model.change(id, { folderId })
  else if (random.happens(0.5)) model.change(id, { addLabels: [folderId] })
  else model.change(id, { removeLabels: [folderId] })
}

describe.each(placements)('MailApiModel with placement %s', (placement) => {
  test.each([1, 2])(
    'changes: random run with irregular feeds (seed %d), the index equals the mailbox',
    async (seed) => {
      const model = new MailApiModel({
        placement,
        seed,
        historyLimit: 20,
        feedFaults: {
          maxPage: 7,
          replays: 0.3,
          outdated: 0.3,
          emptyPages: 0.2,
          losesReturns: placement === 'folder',
          liveCursors: 4,
        },
      })
      const random = new SeededRandom(seed)
      const folders: string[] = []
      for (const name of ['one', 'two', 'three'])
        folders.push((await model.api.createFolder({ name }, signal)).id)
      const index = new FeedIndex(model.api, 5)
      let staleCursors = 0
      for (let step = 0; step < 240; step++) {
        for (let left = random.below(random.happens(0.1) ? 200 : 30); left > 0; left--)
          changeSomething(model, random, folders)
        if (step % 40 === 39) Object.assign(model.feedFaults, { outdated: 0 })
        if (await index.followOrRestart()) staleCursors++
        if (step % 40 !== 39) continue
        expect(index.snapshot()).toEqual(actualSnapshot(model))
        Object.assign(model.feedFaults, { outdated: 0.3 })
      }
      expect(staleCursors).toBeGreaterThan(0)
      expect(index.pages).toBeGreaterThan(240)
    },
  )

  test('equal seeds and calls: give equal ids and pages', async () => {
    const run = async () => {
      const model = new MailApiModel({ placement, seed: 7, feedFaults: { replays: 0.5 } })
      const random = new SeededRandom(7)
      const folders = [model.folder('\\Inbox').id]
      const [feed = { id: '' }] = model.api.feeds(await model.api.folders(signal))
      const pages = [await model.api.changes(feed, { limit: 10 }, signal)]
      for (let step = 0; step < 50; step++) {
        changeSomething(model, random, folders)
        const cursor = pages.at(-1)?.cursor ?? ''
        pages.push(await model.api.changes(feed, { cursor, limit: 10 }, signal))
      }
      return pages
    }
    expect(await run()).toEqual(await run())
  })

  test('onCall: cut before or after the effect, the call fails with or without it', async () => {
    const model = new MailApiModel({ placement })
    const content = Buffer.from(mail('a'))
    const draft = await model.api.depositDraft(content, {}, signal)
    for (const [phase, sent] of [
      ['before', 0],
      ['after', 1],
    ] as const) {
      model.onCall = (point) => {
        if (point.method === 'releaseDraft' && point.phase === phase) throw new Error('cut')
      }
      await expect(model.api.releaseDraft(draft.id, signal)).rejects.toThrow('cut')
      expect(model.sending.sent).toHaveLength(sent)
    }
    expect(model.api.calls.get('releaseDraft')).toBe(2)
    model.onCall = () => undefined
    model.sending.hiddenLookups = 1
    expect(await model.api.findSent(draft, signal)).toBeUndefined()
    expect(await model.api.findSent(draft, signal)).toMatchObject({ id: expect.any(String) })
  })

  test('historyLimit: cursor older than the limit, is stale; the latest ones stay valid', async () => {
    const model = new MailApiModel({ placement, historyLimit: 10 })
    const inbox = model.folder('\\Inbox').id
    const feeds = model.api.feeds(await model.api.folders(signal))
    const feed = feeds.find(({ folderId }) => folderId === inbox) ?? feeds[0] ?? { id: '' }
    const read = async (cursor?: string) =>
      model.api.changes(feed, { limit: 500, ...(cursor === undefined ? {} : { cursor }) }, signal)
    let { cursor, complete } = await read()
    while (!complete) ({ cursor, complete } = await read(cursor))
    for (let count = 0; count < 10; count++) model.deliver(mail('x'))
    expect((await read(cursor)).changed).toHaveLength(10)
    for (let count = 0; count < 15; count++) model.deliver(mail('x'))
    await expect(read(cursor)).rejects.toMatchObject({ failure: 'stale-cursor' })
  })

  test('ids: generated ones have the form of the provider', () => {
    const model = new MailApiModel({ placement })
    const { id } = model.deliver(mail('a'))
    expect(isApiId(id)).toBe(true)
    expect(id).toMatch(placement === 'labels' ? /^[0-9a-f]{16}$/ : /^[\w-]{151}=$/)
  })
})

function actualSnapshot({ store }: MailApiModel): Record<string, object> {
  return snapshotOf(
    [...store.messages.values()].map(({ id, folderId, labels, flags }) => ({
      id,
      labels: [...labels],
      ...flags,
      ...(folderId === undefined ? {} : { folderId }),
    })),
  )
}

test('isApiId: visible ASCII of 1 to 200 characters', () => {
  expect(Object.values(ids).flat().every(isApiId)).toBe(true)
  expect(['', ' ', 'a b', 'é', 'a\n', 'x'.repeat(201)].some(isApiId)).toBe(false)
})
