import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  changesNoticed,
  type ProviderNotification,
} from '@posthorn/contracts/commands/notifications'
import {
  deleteMessage,
  moveMessage,
  updateMessage,
} from '@posthorn/contracts/commands/message-changes'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import type { MailApiModel } from '@posthorn/testkit/mail-api-model'
import { type ApiWorld, apiWorld, mime } from './api-world.ts'

// Notifications of Microsoft Graph with 1 h between polls: every announced message was notified.

let world: ApiWorld
beforeAll(async () => {
  world = await apiWorld()
  await world.db
    .insertInto('settings')
    .values({ key: 'notificationBaseUrl', value: JSON.stringify('https://notify.example') })
    .execute()
  const rarely = 3_600_000
  const polls = { apiPollMs: rarely, apiPollNotifiedMs: rarely, apiPollInboxMs: rarely }
  await world.startApiWorker(polls)
})
afterAll(() => world.close())

/**
 * Connected account at a mail API whose watch (registration for notifications) is active, while no
 * feed is being read.
 */
async function watched() {
  const secrets: string[] = []
  const { account, model } = await world.registerApi('folder', {
    fill: ({ api }) => {
      const watch = api.watch.bind(api)
      api.watch = (secret, signal) => {
        secrets.push(secret)
        return watch(secret, signal)
      }
    },
  })
  await world.connected(account)
  const stored = () =>
    world.db.selectFrom('apiWatches').select('state').where('account', '=', account).execute()
  await eventually(async () => expect(await stored()).toEqual([{ state: 'active' }]))
  await untilIdle(model)
  const notify = (
    messages?: ProviderNotification['messages'],
    kind: ProviderNotification['kind'] = 'changed',
  ) => {
    const secretHash = createHash('sha256')
      .update(secrets.at(-1) ?? '')
      .digest('base64url')
    const named = messages ? { messages } : {}
    const notifications = [{ account, kind, secretHash, ...named }]
    const to = { keys: [`shard.${shardOf(account)}`], ttlMs: 300_000 }
    return world.bus.notify(changesNoticed, { notices: notifications }, to)
  }
  return { account, model, notify }
}

/**
 * Waits until the account is idle. A new watch starts a pass over all feeds, which may be repeated
 * once after 1 s.
 */
async function untilIdle({ api }: MailApiModel): Promise<void> {
  const passes = () => api.calls.get('folders') ?? 0
  await eventually(() => expect(passes()).toBeGreaterThanOrEqual(3))
}

const news = async (account: string) =>
  (await world.events(account, 'messageNew')).map(({ data }) => data['id'])

test('a notified message is announced without a list of folders', async () => {
  const { account, model, notify } = await watched()
  const passes = model.api.calls.get('folders')
  const { id } = model.deliver(mime('new'))
  await notify([{ id }])
  await world.expectEvents(account, ['messageNew'], 1)
  expect(model.api.calls.get('folders')).toBe(passes)
})

test('changes through the API have their events, without a notification', async () => {
  const { account, model, notify } = await watched()
  const [id = '', other = ''] = ['one', 'two'].map((subject) => model.deliver(mime(subject)).id)
  await notify([{ id }, { id: other }])
  await world.expectEvents(account, ['messageNew'], 2)
  const update = { flags: { add: ['\\Seen'] } }
  await world.ask(updateMessage, account, { message: id, update })
  await world.expectEvents(account, ['messageUpdated'], 1)
  await world.ask(deleteMessage, account, { message: id, force: true })
  await world.expectEvents(account, ['messageDeleted'], 1)
  await world.ask(moveMessage, account, { message: other, path: '\\Junk' })
  await world.expectEvents(account, ['messageDeleted'], 2)
  await world.expectEvents(account, ['messageNew'], 3)
  expect(await news(account)).toEqual([id, other, other])
})

test('a notification before its message can be read: announced once, soon after', async () => {
  const { account, model, notify } = await watched()
  const { id } = model.deliver(mime('new'), { hiddenReads: 2 })
  await notify([{ id }])
  await notify([{ id }])
  await world.expectEvents(account, ['messageNew'], 1)
  await notify([{ id }])
  const last = model.deliver(mime('last'))
  await notify([{ id: last.id }])
  await world.expectEvents(account, ['messageNew'], 2)
  expect(await news(account)).toEqual([id, last.id])
})

test('a notification without names before its changes: the feeds are read once more', async () => {
  const { account, model, notify } = await watched()
  const { api } = model
  const changes = api.changes.bind(api)
  const reads = () => api.calls.get('changes') ?? 0
  let delayed: string | undefined
  // The first read of each feed (list of changes) shows nothing new, as if the notification had
  // come too early.
  const seen = new Set<string>()
  api.changes = async (feed, position, signal) => {
    const page = await changes(feed, position, signal)
    if (seen.has(feed.id)) return page
    seen.add(feed.id)
    return { ...page, changed: [], cursor: position.cursor ?? page.cursor }
  }
  const before = reads()
  delayed = model.deliver(mime('new')).id
  await notify()
  await world.expectEvents(account, ['messageNew'], 1)
  expect(await news(account)).toEqual([delayed])
  expect(reads()).toBeGreaterThan(before)
})

test('`missed`: all messages are compared, also if the first pass fails', async () => {
  const { model, notify } = await watched()
  const { api } = model
  const changes = api.changes.bind(api)
  const rounds = new Set<string>()
  api.changes = (feed, position, signal) => {
    if (position.cursor === undefined) rounds.add(feed.id)
    return changes(feed, position, signal)
  }
  model.failNext('unavailable')
  await notify(undefined, 'missed')
  await eventually(() => expect([...rounds].sort()).toEqual([...model.store.folders.keys()].sort()))
})

test('the watch of a deleted account is stopped', async () => {
  const { account, model } = await watched()
  expect(model.watches.list()).toHaveLength(1)
  await world.db.deleteFrom('accounts').where('account', '=', account).execute()
  await world.bus.invalidate({ topic: 'accounts', id: account })
  await eventually(() => expect(model.watches.list()).toEqual([]))
})
