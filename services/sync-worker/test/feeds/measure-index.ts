import type { MailApi } from '@posthorn/backends/mail-api'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import { sql } from 'kysely'
import { IndexWriter } from '../../src/drivers/api/feeds/stored/index-writer.ts'
import { applyBatch } from '../../src/drivers/api/feeds/apply-batch.ts'
import { FeedPass } from '../../src/drivers/api/feeds/feed-pass.ts'
import { RoundLosses } from '../../src/drivers/api/feeds/round-losses.ts'
import { ParkedFeeds } from '../../src/drivers/api/feeds/parked-feeds.ts'
import { ReportedChanges } from '../../src/drivers/api/feeds/reported-changes.ts'
import { indexPart, StoredIndex } from '../../src/drivers/api/feeds/stored/stored-index.ts'
import { FolderNames } from '../../src/drivers/api/events/folder-names.ts'
import type { IndexedMessage } from '../../src/drivers/api/index/indexed-message.ts'
import {
  decodeLeaf,
  encodeLeaf,
  type LeafFormat,
  leafFormats,
} from '../../src/drivers/api/index/leaf-content.ts'
import { maxLeafMessages } from '../../src/drivers/api/index/leaves.ts'
import { drafter } from './feed-run.ts'
import { postgresWorlds } from './feed-world.ts'

// Part of `make bench`: size of the index of an API account in Postgres, and the time to commit a
// page of 500 changes, beside a table with one row per message in the same database. Also measures
// size and CPU time of leaves as columns, beside the stored front-coded leaves. To run only this
// part: node services/sync-worker/test/feeds/measure-index.ts

const count = 100_000
const changes = 500

const random = new SeededRandom(1)
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const ownLabels = Array.from({ length: 20 }, (_, at) => `Label_${at}`)
const labels = ['INBOX', 'IMPORTANT', 'CATEGORY_UPDATES', ...ownLabels]

/** Ids of a Gmail message and its thread: the time of arrival, then random bits. */
function gmailIds(at: number): [id: string, threadId: string] {
  const digits = (order: number) =>
    (0x180_0000_0000 + order * 1_500_000).toString(16).padStart(11, '0')
  const id = digits(at) + random.text(5, '0123456789abcdef')
  return [id, random.happens(0.5) ? id : digits(at - 20) + random.text(5, '0123456789abcdef')]
}

/**
 * Ids of Graph conversations, which end in 16 random bytes. Half of the messages continue a recent
 * conversation.
 */
function conversationIds(): () => string {
  const prefix = `AAQkA${random.text(65, base64url)}`
  const recent: string[] = []
  return () => {
    if (recent.length > 0 && random.happens(0.5)) return recent[random.below(recent.length)] ?? ''
    const created = `${prefix}${random.text(22, base64url)}=`
    recent.unshift(created)
    recent.length = Math.min(recent.length, 100)
    return created
  }
}

/**
 * Message ids of Exchange: bytes of the mailbox, then six rising bytes with the number of the
 * change that created the message. Other changes of the mailbox take numbers, too.
 */
function exchangeIds(): (at: number) => [id: string, threadId: string] {
  const threadOf = conversationIds()
  const bytes = Buffer.from(random.text(152, base64url), 'base64url')
  return (at) => {
    bytes.writeUIntBE(0x100_0000 + at * 500 + random.below(500), 100, 6)
    return [`${bytes.toString('base64url').slice(0, 151)}=`, threadOf()]
  }
}

/**
 * Message ids of the worst case for the size of the index: 20 random characters each, and no
 * thread.
 */
function randomIds(): () => [id: string, threadId: string] {
  const [prefix, threadPrefix] = [random.text(126, base64url), random.text(70, base64url)]
  return () => [
    `${prefix}${random.text(20, base64url)}AAA=`,
    `${threadPrefix}${random.text(22, base64url)}=`,
  ]
}

const worlds = await postgresWorlds()

interface Figures {
  bytes: number
  fillMs: number
  /**
   * Durations of the measured commits in milliseconds, for changes of messages spread over the
   * mailbox.
   */
  scattered: number[]
  recent: number[]
}

interface Rounds {
  /** Number of new messages per commit while the message index is filled. */
  pageSize: number
  /** Number of commits to measure for each kind of changes, scattered and recent. */
  commits: number
}

interface Mailbox extends Rounds {
  all: IndexedMessage[]
}

/**
 * Page of 500 changed messages: spread over the mailbox (`scattered`), or the latest messages
 * (`recent`).
 */
function pageOf(all: IndexedMessage[], kind: 'scattered' | 'recent'): IndexedMessage[] {
  return Array.from({ length: changes }, (_, at) => {
    const message = all[kind === 'recent' ? at : random.below(count)] as IndexedMessage
    message.flagged = !message.flagged
    return message
  })
}

/**
 * Measures how long `commit` takes for pages of changed messages: spread over the mailbox, and the
 * latest messages.
 */
async function measureCommits(
  { all, commits }: Mailbox,
  commit: (page: IndexedMessage[]) => Promise<unknown>,
): Promise<Pick<Figures, 'scattered' | 'recent'>> {
  const times = { scattered: [] as number[], recent: [] as number[] }
  for (let round = 0; round < commits; round++)
    for (const kind of ['scattered', 'recent'] as const) {
      const page = pageOf(all, kind)
      const start = performance.now()
      await commit(page)
      times[kind].push(performance.now() - start)
    }
  return times
}

async function sizeOf(table: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select pg_total_relation_size(${table}::regclass) as bytes`.execute(worlds.owner)
  return Number(rows[0]?.bytes) / count
}

/** Measures the size and the commits of the stored message index of a mail API account. */
async function measureLeaves(mailbox: Mailbox): Promise<Figures> {
  const { all, pageSize } = mailbox
  const world = await worlds.open()
  const store = world.store()
  const index = new StoredIndex(store)
  const filledAt = new Date()
  const state = {
    epoch: 1,
    messages: 0,
    announceFrom: null,
    filledAt,
    syncedAt: null,
    repair: null,
  }
  await store.commit({ epoch: null, mailbox: state })
  const writer = new IndexWriter(store, state)
  const from = performance.now()
  for (let at = 0; at < count; at += pageSize) {
    const page = new Map(all.slice(at, at + pageSize).map((each) => [each.id, each]))
    const { part, added } = (await index.load(indexPart, [...page.keys()])).change(page)
    await writer.commit({ parts: [part], added })
  }
  const fillMs = performance.now() - from
  await sql`cluster api_leaves using api_leaves_pkey`.execute(worlds.owner)
  const bytes = await sizeOf('api_leaves')
  const now = () => new Date()
  const { signal } = new AbortController()
  const pass = new FeedPass(
    {
      api: {} as MailApi,
      store,
      drafter,
      account: world.account,
      now,
      parked: new ParkedFeeds(now),
      losses: new RoundLosses(now),
    },
    { copies: new Map(), report: new ReportedChanges(now), mustYield: undefined, signal },
    {
      writer,
      names: new FolderNames(
        'labels',
        labels.map((id) => ({ id, path: [id] })),
      ),
      isListStored: false,
    },
  )
  const times = await measureCommits(mailbox, (page) => {
    const changed = page.map(({ id, flagged }) => ({ id, flagged }))
    return applyBatch(pass, { feed: {}, changed, removed: [] }, { feeds: [] })
  })
  await sql`truncate api_leaves`.execute(worlds.owner)
  return { bytes, fillMs, ...times }
}

/**
 * Measures, for comparison, the commits to a table with one row per message and a plain table of
 * events.
 */
async function measureRows(mailbox: Mailbox): Promise<Figures> {
  const { all, pageSize } = mailbox
  const { owner } = worlds
  await sql`create table plain_messages (account bigint, id text collate "C", thread text,
    labels int[], flags int, primary key (account, id))`.execute(owner)
  await sql`create table plain_events (id bigserial primary key, body text)`.execute(owner)
  const from = performance.now()
  for (let at = 0; at < count; at += pageSize) {
    const page = all.slice(at, at + pageSize)
    await sql`insert into plain_messages select 1, id, thread, '{1,2}', 1
      from unnest(${page.map(({ id }) => id)}::text[], ${page.map(({ threadId }) => threadId)}::text[])
        as page (id, thread)`.execute(owner)
  }
  const fillMs = performance.now() - from
  await sql`cluster plain_messages using plain_messages_pkey`.execute(owner)
  const bytes = await sizeOf('plain_messages')
  const times = await measureCommits(mailbox, (page) =>
    owner.transaction().execute(async (tx) => {
      const ids = page.map(({ id }) => id)
      await sql`update plain_messages set flags = 1 - flags
        where account = 1 and id = any(${ids}::text[])`.execute(tx)
      const bodies = page.map((message) => JSON.stringify(message))
      await sql`insert into plain_events (body) select * from unnest(${bodies}::text[])`.execute(tx)
    }),
  )
  await sql`drop table plain_messages, plain_events`.execute(owner)
  return { bytes, fillMs, ...times }
}

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Measures the size and CPU time of one format of leaves (blocks of the message index) that are
 * three quarters full.
 */
function measureFormat(leaves: IndexedMessage[][], format: LeafFormat) {
  // Runs the code before the measurement, so that the JIT compiler compiles the code.
  for (const leaf of leaves) decodeLeaf(encodeLeaf(leaf, format))
  const start = cpuMs()
  const encoded = leaves.map((leaf) => encodeLeaf(leaf, format))
  const middle = cpuMs()
  for (const content of encoded) decodeLeaf(content)
  const end = cpuMs()
  const bytes = encoded.reduce((sum, { length }) => sum + length, 0)
  return {
    bytes: bytes / leaves.flat().length,
    encoding: (middle - start) / leaves.length,
    decoding: (end - middle) / leaves.length,
  }
}

function measureFormats(name: string, all: readonly IndexedMessage[]): void {
  const sorted = all.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const size = (maxLeafMessages * 3) / 4
  const leaves = Array.from({ length: Math.floor(count / size) }, (_, at) =>
    sorted.slice(at * size, (at + 1) * size),
  )
  const columns = measureFormat(leaves, leafFormats.columns)
  const frontCoded = measureFormat(leaves, leafFormats.frontCoded)
  const print = (what: string, unit: string, key: keyof typeof columns) =>
    process.stdout.write(
      `leaf of ${size} messages with ${name}, ${what}\n    ${columns[key].toFixed(2)}${unit}` +
        `   beside ${frontCoded[key].toFixed(2)}${unit} (front-coded)\n`,
    )
  print('columns, size per message', ' bytes', 'bytes')
  print('columns, encoding', ' ms', 'encoding')
  print('columns, decoding', ' ms', 'decoding')
}

async function measure(
  name: string,
  ids: (at: number) => [string, string],
  { pageSize, commits }: Rounds = { pageSize: changes, commits: 60 },
): Promise<void> {
  const all: IndexedMessage[] = Array.from({ length: count }, (_, at) => {
    const [id, threadId] = ids(count - at)
    const labels = ['INBOX', 'IMPORTANT', `Label_${random.below(20)}`, 'CATEGORY_UPDATES']
      .filter(() => random.happens(0.5))
      .sort()
    const flags = { unseen: random.happens(0.3), flagged: random.happens(0.02), draft: false }
    return { id, threadId, labels, ...flags }
  })
  measureFormats(name, all)
  const leaves = await measureLeaves({ all, pageSize, commits })
  const rows = await measureRows({ all, pageSize, commits })
  const print = (what: string, unit: string, value: (figures: Figures) => number) =>
    process.stdout.write(
      `index of 100,000 messages with ${name}, ${what}\n    ${value(leaves).toFixed(1)}${unit}` +
        `   beside ${value(rows).toFixed(1)}${unit} (one row per message)\n`,
    )
  print('size per message', ' bytes', ({ bytes }) => bytes)
  print(
    `${count / pageSize} pages of ${pageSize} new messages`,
    ' s',
    ({ fillMs }) => fillMs / 1_000,
  )
  for (const kind of ['scattered', 'recent'] as const)
    for (const p of [0.5, 0.99])
      print(`commit of 500 ${kind} changes, p${p * 100}`, ' ms', (figures) =>
        percentile(figures[kind], p),
      )
}

function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * p)] ?? Number.NaN
}

try {
  await measure('16-digit ids', gmailIds)
  await measure('150-character ids of Exchange', exchangeIds())
  await measure('150-character ids, 20 of them random', randomIds(), {
    pageSize: 10 * changes,
    commits: 20,
  })
} finally {
  await worlds.drop()
}
