import { randomUUID } from 'node:crypto'
import { shardOf } from '@posthorn/contracts/shards'
import { connect, type Db } from '@posthorn/db'
import { MailApiModel, type MailApiModelOptions } from '@posthorn/testkit/mail-api-model'
import { testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { MailboxFeeds } from '../../src/drivers/api/feeds/mailbox-feeds.ts'
import type { PassOptions, PassResult } from '../../src/drivers/api/feeds/feed-pass.ts'
import { ParkedFeeds } from '../../src/drivers/api/feeds/parked-feeds.ts'
import type { FeedStore } from '../../src/drivers/api/feeds/stored/feed-store.ts'
import { PostgresFeedStore } from '../../src/drivers/api/feeds/stored/postgres-feed-store.ts'
import type { CommitDeps } from '../../src/events/commit.ts'
import { ensureAccountStatusRows } from '../../src/store/account-status.ts'
import type { Account } from '../../src/store/accounts.ts'
import { flushIndex } from '../../src/store/flush.ts'
import { withLease } from '../../src/store/lease.ts'
import { drafter } from './feed-run.ts'
import { account as modelAccount, MemoryFeedStore, MemoryTables } from './memory-feed-store.ts'

export interface SeenEvent {
  event: string
  path: string | undefined
  data: Record<string, unknown>
}

/** Stored data of one account at a mail API for tests, in Postgres or in memory. */
export interface FeedWorld {
  readonly account: Pick<Account, 'account' | 'registeredAt' | 'notifyFrom' | 'paths'>
  /** Opens the store of the worker that now holds the lease of the account. */
  store(): FeedStore
  /** Lets another worker claim the lease of the account. */
  takeOver(): Promise<void>
  /** Recorded events of the account, except events about folders. */
  events(): Promise<SeenEvent[]>
  /** Names and paths of the recorded `mailboxNew` and `mailboxDeleted` events. */
  folderEvents(): Promise<[event: string, path: string][]>
  /** Kinds and paths of the warnings for `GET /v1/changes`. */
  warnings(): Promise<[type: string, path: string][]>
  countLeaves(part: string): Promise<number>
  /** Deletes a leaf (block) of the message index, or the whole message index. */
  lose(what: 'leaf' | 'index'): Promise<void>
  flush(): Promise<void>
  /** Stores a submission that is in flight. */
  submit(messageId: string): Promise<void>
}

/**
 * Model mailbox of an account at a mail API, with the feeds (lists of changes) that sync the
 * mailbox.
 */
export class FeedScene {
  readonly model: MailApiModel
  readonly world: FeedWorld
  time = new Date('2026-11-01T12:00:00Z').getTime()
  drafter = drafter
  readonly parked = new ParkedFeeds(() => new Date(this.time))
  /** Paths of the folders that are synced. If empty, all folders are synced. */
  paths: string[] = []

  constructor(world: FeedWorld, options: MailApiModelOptions) {
    this.world = world
    this.model = new MailApiModel({ now: () => new Date(this.time), ...options })
  }

  worker(maxLeafMessages = 8): MailboxFeeds {
    const account = { ...this.world.account, paths: this.paths }
    return new MailboxFeeds({
      api: this.model.api,
      store: this.world.store(),
      drafter: this.drafter,
      account,
      parked: this.parked,
      now: () => new Date(this.time),
      maxLeafMessages,
    })
  }

  /**
   * Runs a sync pass over the whole mailbox. Returns the time at which a pending message is due.
   */
  async sync(): Promise<Date | undefined> {
    return (await this.pass()).dueAt
  }

  pass(options: PassOptions = {}, worker = this.worker()): Promise<PassResult> {
    return worker.sync(new AbortController().signal, options)
  }

  /** Delivers messages that arrived before the account was registered. Returns their ids. */
  deliverOld(count = 1): string[] {
    const receivedAt = new Date(this.time - 30 * 86_400_000)
    return Array.from({ length: count }, () => this.deliver({ receivedAt }))
  }

  deliver(placed: Parameters<MailApiModel['deliver']>[1] = {}): string {
    return this.model.deliver(`Message-ID: <${randomUUID()}@x>\r\nSubject: s\r\n\r\nx`, placed).id
  }

  async eventNames(): Promise<string[]> {
    return (await this.world.events()).map(({ event }) => event)
  }
}

const folderEventNames = new Set(['mailboxNew', 'mailboxDeleted'])

/** Divides the stored events of an account into events about folders and other events. */
function readEvents(list: () => Promise<SeenEvent[]>): Pick<FeedWorld, 'events' | 'folderEvents'> {
  return {
    events: async () => (await list()).filter(({ event }) => !folderEventNames.has(event)),
    folderEvents: async () =>
      (await list())
        .filter(({ event }) => folderEventNames.has(event))
        .map(({ event, path = '' }) => [event, path]),
  }
}

export function memoryWorld(): FeedWorld {
  const tables = new MemoryTables()
  return {
    account: modelAccount,
    store: () => new MemoryFeedStore(tables),
    takeOver: () => Promise.resolve(void tables.leaseEpoch++),
    ...readEvents(() =>
      Promise.resolve(
        tables.events.map(({ event, path, data }) => ({
          event,
          path,
          data: data as Record<string, unknown>,
        })),
      ),
    ),
    warnings: () => Promise.resolve(tables.warnings.map(({ type, path }) => [type, path])),
    countLeaves: (part) => Promise.resolve(tables.leavesOf(part).length),
    lose: (what) => {
      tables.isInitialized = true
      if (what === 'leaf') tables.parts.set('', tables.leavesOf('').slice(1))
      else {
        tables.mailbox = undefined
        tables.reset()
      }
      return Promise.resolve()
    },
    flush: () => {
      const { mailbox } = tables
      tables.reset()
      tables.announced.clear()
      if (mailbox) tables.mailbox = { ...mailbox, messages: 0, announceFrom: null, filledAt: null }
      return Promise.resolve()
    },
    submit: (messageId) => Promise.resolve(void tables.submitted.add(messageId)),
  }
}

export interface PostgresWorlds {
  open(): Promise<FeedWorld>
  /** Database connection of the owner of the tables. */
  owner: Db
  drop(): Promise<void>
}

export async function postgresWorlds(): Promise<PostgresWorlds> {
  const database = await testDatabase()
  const db = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
  const deps: CommitDeps = {
    db,
    bus: { up: false, publishEvent: () => Promise.reject(new Error('not connected')) },
    settings: { get: () => Promise.resolve({}) },
    metrics: { eventsRecorded: () => undefined },
    markPublished: () => Promise.resolve(),
  }
  return {
    owner: database.db,
    open: () => postgresWorld({ owner: database.db, db, deps }),
    drop: async () => {
      await db.destroy()
      await database.drop()
    },
  }
}

interface PostgresParts {
  /** Database connection of the owner of the tables. */
  owner: Db
  db: Db
  deps: CommitDeps
}

async function postgresWorld({ owner, db, deps }: PostgresParts): Promise<FeedWorld> {
  const account = await registerAccount(owner, db)
  const name = account.account
  const leased = async (epoch: string) => ({ ...account, lease: { ...account.lease, epoch } })
  let current: Account = account
  return {
    account,
    store: () => new PostgresFeedStore(deps, current),
    takeOver: async () => {
      const { shard } = account.lease
      const { epoch } = await owner
        .updateTable('shards')
        .set({ epoch: sql`epoch + 1` })
        .where('shard', '=', shard)
        .returning('epoch')
        .executeTakeFirstOrThrow()
      current = await leased(epoch)
    },
    ...readEvents(async () => {
      const rows = await owner
        .selectFrom('events')
        .select(['event', 'path', 'body'])
        .where('account', '=', name)
        .orderBy('id')
        .execute()
      return rows.map(({ event, path, body }) => {
        const { data } = JSON.parse(body) as { data: Record<string, unknown> }
        return { event, path: path ?? undefined, data }
      })
    }),
    warnings: async () => {
      const { rows } = await sql<{ key: string; path: string }>`
        select key, payload ->> 'path' as path from account_changes
        where account = ${name} and type = 'syncWarning' order by xid, id`.execute(owner)
      return rows.map(({ key, path }) => [key, path])
    },
    countLeaves: async (part) => {
      const rows = await db
        .selectFrom('apiLeaves')
        .select('low')
        .where('account', '=', name)
        .where('part', '=', part)
        .execute()
      return rows.length
    },
    lose: async (what) => {
      await owner
        .updateTable('accountStates')
        .set({ initializedAt: new Date() })
        .where('account', '=', name)
        .execute()
      await (
        what === 'index'
          ? sql`delete from api_mailboxes where account = ${name}`
          : sql`delete from api_leaves where account = ${name} and part = '' and low = (
            select min(low) from api_leaves where account = ${name} and part = '')`
      ).execute(owner)
    },
    flush: () =>
      withLease(db, current.lease, (tx) => flushIndex(tx, name, { epoch: '1', indexer: 'full' })),
    submit: async (messageId) => {
      await owner
        .insertInto('outbox')
        .values({
          queueId: randomUUID().slice(0, 20),
          account: name,
          shard: account.lease.shard,
          source: 'api',
          messageId,
          envelope: JSON.stringify({ from: 'a@b.example', to: ['c@d.example'] }),
          mime: Buffer.from('x'),
          maxAttempts: 10,
        } as never)
        .execute()
    },
  }
}

/** Registers an account of the Gmail API whose shard a separate worker holds. */
export async function registerAccount(owner: Db, db: Db): Promise<Account> {
  const name = randomUUID()
  const shard = shardOf(name)
  const worker = randomUUID()
  await owner.insertInto('workers').values({ id: worker }).execute()
  await owner
    .insertInto('accounts')
    .values({ account: name, shard, name: 'x', backend: 'gmail' })
    .execute()
  await ensureAccountStatusRows(db, [name])
  const { epoch } = await owner
    .updateTable('shards')
    .set({ owner: worker, epoch: sql`epoch + 1` })
    .where('shard', '=', shard)
    .returning('epoch')
    .executeTakeFirstOrThrow()
  return {
    account: name,
    version: '1',
    lease: { account: name, shard, owner: worker, epoch },
    registeredAt: 1,
    imap: null,
    isTenantsServer: false,
    paths: [],
    subconnections: [],
    imapIndexer: null,
    notifyFrom: modelAccount.notifyFrom,
    proxy: null,
    logs: false,
  }
}
