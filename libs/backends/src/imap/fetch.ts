import type { ExpungeEvent, FetchMessageObject, FetchQueryObject } from 'imapflow'
import type { FetchedMessage, FetchOptions, UidRange } from '../mail-session.ts'
import { batchesOf, countUids, formatSequenceSet, rangesOf, uidsIn } from '../uid-ranges.ts'
import { lacksAddresses, withHeaderAddresses } from './addresses.ts'
import type { ImapConnection, MailboxRef } from './connection.ts'
import { isRejection } from './errors.ts'
import { toFetchedMessage } from './message.ts'

const batchUids = 500
/** Batch size with headers, which add up to 256 KiB per message. */
const batchUidsWithHeaders = 100
/** Maximum size of a page. */
const maxSequenceNumbers = 1_000
const maxHeaderBytes = 256 * 1024
/** Query for the header. Addresses are near its start. */
const headersOnly: FetchQueryObject = {
  uid: true,
  size: true,
  bodyParts: [{ key: 'HEADER', start: 0, maxLength: 64 * 1024 }],
}
/**
 * Rejections per batch. Single unreadable messages are isolated by halving the batch. More
 * rejections have another cause.
 */
const maxRejections = 40

/** Yields one batch after the other. The connection is free while the caller handles a batch. */
export async function* fetchMessages(
  connection: ImapConnection,
  uids: readonly UidRange[],
  { headers = false }: FetchOptions = {},
): AsyncGenerator<FetchedMessage> {
  const fetch = new Fetch(connection, headers)
  for (const batch of batchesOf(uids, headers ? batchUidsWithHeaders : batchUids))
    yield* await fetch.batch(batch)
}

/** Messages with these sequence numbers, in one FETCH if the server can describe all of them. */
export async function fetchBySequence(
  connection: ImapConnection,
  first: number,
  last: number,
): Promise<FetchedMessage[]> {
  return last < first
    ? []
    : new Fetch(connection, false).bySequence(first, Math.min(last, first + maxSequenceNumbers - 1))
}

/** Queries of one fetch and its mailbox. */
class Fetch {
  readonly #connection: ImapConnection
  readonly #mailbox: MailboxRef
  readonly #bare: FetchQueryObject
  readonly #full: FetchQueryObject
  /** Messages whose full description was rejected. */
  readonly #rejected = new Set<number>()
  #rejections = 0

  constructor(connection: ImapConnection, headers: boolean) {
    this.#connection = connection
    this.#mailbox = connection.selected
    const parts = headers
      ? { bodyParts: [{ key: 'HEADER', start: 0, maxLength: maxHeaderBytes }] }
      : {}
    this.#bare = {
      uid: true,
      flags: true,
      internalDate: true,
      size: true,
      threadId: true,
      labels: true,
      ...parts,
    }
    this.#full = { ...this.#bare, envelope: true, bodyStructure: true }
  }

  /**
   * Existing messages of a batch. The connection may not know a new message yet, so the full query
   * is repeated after NOOP for messages without a response. The bare query is for messages whose
   * full description the server rejected or imapflow could not read. Their rows are `incomplete`.
   */
  async batch(uids: readonly UidRange[]): Promise<FetchedMessage[]> {
    this.#rejections = 0
    this.#rejected.clear()
    const rows = await this.#rows(uids, this.#full)
    const missing = [...uidsIn(uids)].filter((uid) => !rows.has(uid))
    const unseen = missing.filter((uid) => !this.#rejected.has(uid))
    if (unseen.length > 0)
      for (const [uid, row] of await this.#repeated(rangesOf(unseen))) rows.set(uid, row)
    const rejected = missing.filter((uid) => this.#rejected.has(uid))
    if (rejected.length > 0)
      for (const [uid, row] of await this.#rows(rangesOf(rejected), this.#bare)) rows.set(uid, row)
    return await this.#messages(rows)
  }

  /** Repeats the full query after NOOP. Unreadable responses count as a rejection. */
  async #repeated(uids: readonly UidRange[]): Promise<Map<number, FetchMessageObject>> {
    const connection = this.#connection
    try {
      await connection.call((client) => connection.noop(client), this.#mailbox)
    } catch (error) {
      if (!isRejection(error)) throw error
    }
    const before = connection.unreadableResponses
    const rows = await this.#rows(uids, this.#full)
    if (connection.unreadableResponses > before)
      for (const uid of uidsIn(uids)) if (!rows.has(uid)) this.#rejected.add(uid)
    return rows
  }

  /**
   * Sorts the messages. Adds addresses from the header if the server omits them from the envelope.
   */
  async #messages(rows: Map<number, FetchMessageObject>): Promise<FetchedMessage[]> {
    const bare = rangesOf([...rows.values()].filter(lacksAddresses).map(({ uid }) => uid))
    for (const batch of batchesOf(bare, batchUidsWithHeaders))
      for (const [uid, { headers }] of await this.#rows(batch, headersOnly)) {
        const row = rows.get(uid)
        if (row && headers) rows.set(uid, await withHeaderAddresses(row, headers))
      }
    return [...rows.values()].sort((a, b) => a.uid - b.uid).map(toFetchedMessage)
  }

  /**
   * Sequence numbers do not change during a FETCH (RFC 9051 §7.5.1). Messages that fail are fetched
   * by UID.
   */
  async bySequence(first: number, last: number): Promise<FetchedMessage[]> {
    try {
      const rows = await this.#fetchSequence(first, last, this.#full)
      if (rows.size === last - first + 1) return await this.#messages(rows)
    } catch (error) {
      if (!isRejection(error)) throw error
    }
    const rows = await this.#fetchSequence(first, last, { uid: true, size: true })
    return rows.size === 0 ? [] : await this.batch(rangesOf([...rows.keys()]))
  }

  async #fetchSequence(
    first: number,
    last: number,
    query: FetchQueryObject,
  ): Promise<Map<number, FetchMessageObject>> {
    return await this.#connection.call(async (client) => {
      const rows = new Map<number, FetchMessageObject>()
      for await (const row of client.fetch(`${first}:${last}`, query))
        if (row.seq >= first && row.seq <= last && row.uid && row.size !== undefined)
          rows.set(row.uid, mergeRows(rows.get(row.uid), row))
      return rows
    }, this.#mailbox)
  }

  /**
   * Halves rejected batches until the readable messages are found. Skips a single message that is
   * rejected.
   */
  async #rows(
    uids: readonly UidRange[],
    query: FetchQueryObject,
  ): Promise<Map<number, FetchMessageObject>> {
    try {
      return await this.#fetchUids(uids, query)
    } catch (error) {
      const count = countUids(uids)
      if (!isRejection(error) || ++this.#rejections > maxRejections) throw error
      if (count === 1) {
        for (const uid of uidsIn(uids)) this.#rejected.add(uid)
        return new Map()
      }
      const rows = new Map<number, FetchMessageObject>()
      for (const half of batchesOf(uids, Math.ceil(count / 2)))
        for (const [uid, row] of await this.#rows(half, query)) rows.set(uid, row)
      return rows
    }
  }

  async #fetchUids(
    uids: readonly UidRange[],
    query: FetchQueryObject,
  ): Promise<Map<number, FetchMessageObject>> {
    const wanted = new Set(uidsIn(uids))
    return await this.#connection.call(async (client) => {
      const rows = new Map<number, FetchMessageObject>()
      // A server may still return a message whose deletion it reports later in the same UID FETCH.
      const removed: RemovedMessages[] = []
      const expunged = ({ seq = 0 }: ExpungeEvent) => void removed.push({ seq })
      client.on('expunge', expunged)
      this.#connection.wire.onVanishedUids = (uids) => void removed.push({ uids })
      try {
        for await (const row of client.fetch(formatSequenceSet(uids), query, { uid: true })) {
          // The server may also return other messages, or one message in several responses (RFC
          // 9051 §7.5.2).
          if (wanted.has(row.uid)) rows.set(row.uid, mergeRows(rows.get(row.uid), row))
          // Unsolicited flag changes are reported nowhere else.
          if (!wanted.has(row.uid) || row.size === undefined)
            this.#connection.notifications.notifyFlags(row)
        }
      } finally {
        client.off('expunge', expunged)
        this.#connection.wire.onVanishedUids = undefined
      }
      for (const event of removed) removeRows(rows, event)
      for (const [uid, row] of rows) if (row.size === undefined) rows.delete(uid)
      return rows
    }, this.#mailbox)
  }
}

/** Content of an EXPUNGE or VANISHED response. */
type RemovedMessages = { seq: number } | { uids: UidRange[] }

/**
 * Removes deleted messages. Each EXPUNGE decrements the sequence numbers above it (RFC 9051
 * §7.5.1). A row removed by mistake is fetched again.
 */
function removeRows(rows: Map<number, FetchMessageObject>, removed: RemovedMessages): void {
  for (const [uid, row] of rows) {
    if ('uids' in removed) {
      if (removed.uids.some(([first, last]) => first <= uid && uid <= last)) rows.delete(uid)
    } else if (row.seq === removed.seq) rows.delete(uid)
    else if (row.seq > removed.seq) rows.set(uid, { ...row, seq: row.seq - 1 })
  }
}

/** Merges responses for one message. Values missing in the later one are kept. */
function mergeRows(
  earlier: FetchMessageObject | undefined,
  row: FetchMessageObject,
): FetchMessageObject {
  if (!earlier) return row
  const present = Object.entries(row).filter(([, value]) => value !== undefined)
  return { ...earlier, ...Object.fromEntries(present) }
}
