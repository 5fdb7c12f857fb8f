import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { AccountRegistration } from '@posthorn/client'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, faultSize, type TestUser } from '@posthorn/testkit'
import { fillInbox } from '../bench/fill-mailbox.ts'
import { logIn } from '../stories/imap-client.ts'
import {
  freshMessageId,
  plainMessage,
  registration,
  startWorld,
  type Webhook,
  type World,
} from '../world.ts'
import { findDuplicateEvents } from './main-job.ts'

const accounts = faultSize({ small: 30, full: 200 })
/**
 * Maximum time until all accounts of a killed sync-worker are synced again with production
 * intervals: 15 s until other workers take its shards, then the logins. An idle machine needs a
 * sixth of the time. A poll of all mailboxes would come much later.
 */
const moveMs = 180_000

let world: World
beforeAll(async () => {
  world = await startWorld({
    replicas: { 'sync-worker': 2 },
    env: { SVC_WORKER_HEARTBEAT: '5s', SVC_WORKER_ACCOUNTS_SWEEP: '5s' },
  })
})
afterAll(() => world[Symbol.asyncDispose]())

/**
 * Account settings with the production interval of polls. Other tests poll all mailboxes every
 * second.
 */
function productionPace(account: string, user: TestUser): Partial<AccountRegistration> {
  return { imap: { ...registration(account, user).imap, resyncDelay: 900 } }
}

const webhooksOf = (event: string, account: string): Webhook[] =>
  world.webhooks().filter((webhook) => webhook.event === event && webhook.account === account)

test('sync-worker killed with many accounts on two workers: the other one takes over all accounts in time', async () => {
  const users = await Promise.all(
    Array.from({ length: accounts }, async (_, n) => {
      const user = world.mail.freshUser()
      // An overloaded api-gateway responds with an error.
      await eventually(() => world.register(`many-${n}`, user, productionPace(`many-${n}`, user)), {
        timeoutMs: 120_000,
      })
      return { ...user, account: `many-${n}`, messageId: freshMessageId() }
    }),
  )
  await eventually(
    () => {
      const ready = new Set(
        world
          .webhooks()
          .flatMap(({ event, account }) => (event === 'accountInitialized' ? [account] : [])),
      )
      expect(users.filter(({ account }) => !ready.has(account))).toEqual([])
    },
    { timeoutMs: 240_000 },
  )
  await world.services.kill('sync-worker')
  await Promise.all(
    users.map(({ user, messageId }) => world.mail.deliver(user, plainMessage({ messageId }))),
  )
  await eventually(
    () => {
      const received = new Set(world.webhooks().map(({ data }) => data?.messageId))
      expect(users.filter(({ messageId }) => !received.has(messageId))).toEqual([])
    },
    { timeoutMs: moveMs },
  )
  // Moved accounts are served by their new sync-worker.
  for (const { account } of users.slice(0, 4))
    await eventually(async () => {
      const page = await world.posthorn.listMessages({ account, path: 'INBOX' })
      expect(page).toMatchObject({ total: 1 })
    })
  await world.services.start('sync-worker')
  expect(findDuplicateEvents(world.webhooks())).toEqual([])
}, 600_000)

const inDatabase = (query: string, ids: string[] = []) =>
  withClient(world.ownerUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(query, ids.length > 0 ? [ids] : [])
    return rows.map(({ id }) => id)
  })
const listWorkers = () => inDatabase('select id from workers')
/** Expires the heartbeats of sync-workers, so that other workers take their shards. */
const expireWorkers = (ids: string[]) =>
  inDatabase("update workers set heartbeat_at = 'epoch' where id = any($1) returning id", ids)

test('sync-worker killed during an initial sync: another continues, each message has one event id', async () => {
  const user = world.mail.freshUser('first')
  await using client = new AsyncDisposableStack()
  const imap = client.adopt(await logIn(user), (open) => open.logout())
  const messages = await fillInbox(imap, faultSize({ small: 900, full: 3_000 }))
  await world.register('first', user, {
    ...productionPace('first', user),
    notifyFrom: '2023-01-01T00:00:00.000Z',
  })
  await eventually(() => expect(webhooksOf('messageNew', 'first').length).toBeGreaterThan(300), {
    timeoutMs: 120_000,
  })
  // Either of the two sync-workers may hold the account.
  const before = await listWorkers()
  await world.services.kill('sync-worker')
  await world.services.start('sync-worker')
  await world.services.kill('sync-worker-2')
  await expireWorkers(before)
  await world.services.start('sync-worker-2')
  await world.webhook(
    ({ event, account }) => event === 'accountInitialized' && account === 'first',
    300_000,
  )
  await eventually(
    () => {
      const ids = new Set(webhooksOf('messageNew', 'first').map(({ data }) => data.id))
      expect(ids.size).toBe(messages)
    },
    { timeoutMs: 120_000 },
  )
  expect(findDuplicateEvents(webhooksOf('messageNew', 'first'))).toEqual([])
}, 600_000)

test('sync-worker not running: changes of a mailbox are reported after its return', async () => {
  const away = await world.connectAccount('away')
  await using open = new AsyncDisposableStack()
  const imap = open.adopt(await logIn(away), (client) => client.logout())
  for (const subject of ['kept', 'marked', 'gone'])
    await imap.append('INBOX', plainMessage({ messageId: freshMessageId(), subject }))
  await eventually(() => expect(webhooksOf('messageNew', 'away')).toHaveLength(3))
  await Promise.all([world.services.kill('sync-worker'), world.services.kill('sync-worker-2')])
  await expireWorkers(await listWorkers())
  await imap.mailboxOpen('INBOX')
  await imap.messageFlagsAdd('2', ['\\Flagged'])
  await imap.messageDelete('3')
  await imap.mailboxCreate('Projects')
  await imap.append('Projects', plainMessage({ messageId: freshMessageId(), subject: 'late' }))
  await Promise.all([world.services.start('sync-worker'), world.services.start('sync-worker-2')])
  await eventually(
    () => {
      expect(webhooksOf('messageNew', 'away').map(({ data }) => data.subject)).toContain('late')
      expect(webhooksOf('messageDeleted', 'away')).toHaveLength(1)
      expect(webhooksOf('messageUpdated', 'away')).toMatchObject([
        { data: { changes: { flags: { added: ['\\Flagged'], removed: [] } } } },
      ])
      expect(webhooksOf('mailboxNew', 'away').map(({ path }) => path)).toContain('Projects')
    },
    { timeoutMs: 120_000 },
  )
  expect(webhooksOf('messageNew', 'away')).toHaveLength(4)
})
