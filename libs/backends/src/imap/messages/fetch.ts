import { setImmediate } from 'node:timers/promises'
import type { FetchQueryObject } from 'imapflow'
import type { FetchedMessage, FetchOptions, Section, UidRange } from '../../mail-session.ts'
import { batchesOf, countUids, halvesOf, rangesOf, uidsIn } from '../../uid-ranges.ts'
import { lacksAddresses, withHeaderAddresses } from './addresses.ts'
import type { ImapConnection, MailboxRef } from '../connection/connection.ts'
import { isRejection } from '../connection/errors.ts'
import { bareQuery, flagsOnly, fullQuery, headersOnly, withSections } from './fetch-queries.ts'
import { addRows, fetchRows, fetchSequence, type Rows } from './fetch-rows.ts'
import type { MailboxFaults, QueryFaults } from '../../message-faults.ts'
import { toFetchedMessages } from './message.ts'

const batchUids = 500
/** Maximum messages per FETCH with message headers, which have up to 256 KiB per message. */
const batchUidsWithHeaders = 100
/** Maximum messages of a list page that is fetched by sequence numbers. */
const maxSequenceNumbers = 1_000
/** Maximum rejections of FETCH queries without envelope. With more, the server counts as failed. */
const maxFailures = 40
/**
 * Maximum rejections of FETCH queries with envelope and structure per batch of messages. After more
 * rejections, the remaining messages are fetched with the bare query (no envelope, no structure).
 * The next batch with these messages continues the search for the rejected messages.
 */
const maxRejections = 250

/**
 * Yields fetched messages by batch. The IMAP connection is free while the caller handles a batch.
 */
export async function* fetchMessages(
  connection: ImapConnection,
  uids: readonly UidRange[],
  options: FetchOptions = {},
): AsyncGenerator<FetchedMessage> {
  const fetch = new Fetch(connection, options)
  const { headers } = options
  for (const batch of batchesOf(uids, headers ? batchUidsWithHeaders : batchUids))
    yield* await fetch.batch(batch)
}

/** Fetches messages by sequence numbers, with one FETCH if the server can describe them all. */
export async function fetchBySequence(
  connection: ImapConnection,
  first: number,
  last: number,
): Promise<FetchedMessage[]> {
  return last < first
    ? []
    : new Fetch(connection, {}).bySequence(first, Math.min(last, first + maxSequenceNumbers - 1))
}

/** Fetch of messages from one mailbox. The bare query requests no envelope and no structure. */
class Fetch {
  readonly #connection: ImapConnection
  readonly #mailbox: MailboxRef
  readonly #faults: MailboxFaults
  readonly #bare: FetchQueryObject
  readonly #full: FetchQueryObject
  readonly #hasHeaders: boolean
  /** Body sections that the caller requests together with each message. */
  readonly #expected: readonly Section[]
  /** Body sections in FETCH queries with envelope. Empty after such a query has failed. */
  #sections: readonly Section[]
  /** Messages of a batch whose response to the full FETCH query was rejected or unreadable. */
  readonly #rejected = new Set<number>()
  #rejections = 0
  #failures = 0

  constructor(connection: ImapConnection, { headers = false, sections = [] }: FetchOptions) {
    this.#connection = connection
    this.#mailbox = connection.selected
    this.#faults = connection.faultsIn(this.#mailbox)
    this.#hasHeaders = headers
    this.#expected = this.#sections = sections
    this.#bare = bareQuery(headers)
    this.#full = fullQuery(headers)
  }

  /**
   * Fetches the existing messages of a batch. Messages without a response to the full query are
   * requested again after NOOP, because the connection may not know a new message yet. The bare
   * query is sent for messages whose description the server rejected, imapflow could not read, or
   * at which the connection was lost. Rows of the bare query are `incomplete`. The connections of
   * the account remember these messages and do not send the full query for them again.
   */
  async batch(uids: readonly UidRange[]): Promise<FetchedMessage[]> {
    this.#rejections = this.#failures = 0
    this.#rejected.clear()
    const rows: Rows = new Map()
    const all = [...uidsIn(uids)]
    const requested = all.filter((uid) => !this.#isRefused(uid))
    for (const each of this.#faults.description.batches(requested))
      await this.#describe(rangesOf(each), rows)
    const isRejected = (uid: number) => this.#rejected.has(uid) || this.#isRefused(uid)
    const unseen = all.filter((uid) => !rows.has(uid) && !isRejected(uid))
    if (unseen.length > 0) await this.#repeat(rangesOf(unseen), rows)
    const rejected = rangesOf(all.filter((uid) => !rows.has(uid) && isRejected(uid)))
    if (rejected.length > 0) addRows(rows, await this.#bareRows(rejected))
    return await this.#messages(rows)
  }

  /**
   * Fetches messages by sequence numbers, which do not change during a FETCH (RFC 9051 §7.5.1).
   * Messages that cannot be fetched in this way are fetched by UID.
   */
  async bySequence(first: number, last: number): Promise<FetchedMessage[]> {
    const faults = this.#faults
    if (faults.description.isEmpty && !faults.isSequenceLost) {
      const rows = await this.#fullSequence([first, last])
      if (rows?.size === last - first + 1) return await this.#messages(rows)
    }
    const rows = await this.#sequence([first, last], { uid: true, size: true })
    const messages = rows.size === 0 ? [] : await this.batch(rangesOf([...rows.keys()]))
    faults.isSequenceLost = false
    return messages
  }

  /** Fetches messages by sequence numbers. Undefined if the server rejects the FETCH query. */
  async #fullSequence(range: readonly [number, number]): Promise<Rows | undefined> {
    let isSent = false
    try {
      return await this.#sequence(range, this.#full, () => void (isSent = true))
    } catch (error) {
      if (isRejection(error)) return undefined
      if (isSent) this.#connection.recordLoss(error, () => (this.#faults.isSequenceLost = true))
      throw error
    }
  }

  #isRefused(uid: number): boolean {
    const { description, header } = this.#faults
    return description.isRefused(uid) || (this.#hasHeaders && header.isRefused(uid))
  }

  /** Fetches messages with their envelope, or without if the server rejects the FETCH query. */
  async #describe(uids: readonly UidRange[], rows: Rows): Promise<void> {
    if (uids.length === 0 || (await this.#describeWithSections(uids, rows))) return
    try {
      addRows(rows, await this.#fetch(uids, this.#full))
    } catch (error) {
      if (!isRejection(error)) throw error
      const bare = await this.#bareRows(uids)
      addRows(rows, bare)
      await this.#halve(rangesOf(bare.keys()), rows)
    }
  }

  /**
   * Sends the FETCH query with envelope, structure and expected body sections. Returns false if the
   * server rejects the query, or if a message of the mailbox is a possible cause of a lost
   * connection: the query without sections then shows whether the description of a message is the
   * cause.
   */
  async #describeWithSections(uids: readonly UidRange[], rows: Rows): Promise<boolean> {
    const sections = this.#sections
    if (sections.length === 0 || this.#faults.description.hasSuspects) return false
    try {
      addRows(rows, await this.#fetch(uids, withSections(this.#full, sections)))
      return true
    } catch (error) {
      if (!isRejection(error)) throw error
      this.#sections = []
      return false
    }
  }

  /** Fetches messages with their envelope. Halves a rejected batch until it has one message. */
  async #halve(uids: readonly UidRange[], rows: Rows): Promise<void> {
    if (countUids(uids) === 1) for (const uid of uidsIn(uids)) this.#faults.description.refuse(uid)
    else
      for (const half of halvesOf(uids)) {
        if (this.#rejections > maxRejections) return
        await this.#tryFull(half, rows)
      }
  }

  async #tryFull(uids: readonly UidRange[], rows: Rows): Promise<void> {
    try {
      const full = await this.#fetch(uids, this.#full)
      // Removes responses without envelope of messages that the full query does not return.
      for (const uid of uidsIn(uids)) rows.delete(uid)
      addRows(rows, full)
    } catch (error) {
      if (!isRejection(error)) throw error
      this.#rejections++
      await this.#halve(uids, rows)
    }
  }

  /** Fetches messages without envelope. If the server rejects a header, fetches the flags. */
  async #bareRows(uids: readonly UidRange[]): Promise<Rows> {
    if (!this.#hasHeaders) return await this.#halvedRows(uids, this.#bare)
    const { header } = this.#faults
    const rows: Rows = new Map()
    const all = [...uidsIn(uids)]
    for (const each of header.batches(all.filter((uid) => !header.isRefused(uid))))
      addRows(rows, await this.#halvedRows(rangesOf(each), this.#bare))
    const refused = rangesOf(all.filter((uid) => header.isRefused(uid)))
    if (refused.length > 0) addRows(rows, await this.#halvedRows(refused, flagsOnly))
    return rows
  }

  /**
   * Fetches messages with a query without envelope and structure. Halves a rejected range until the
   * rejected messages are found. If the header of a message is rejected, fetches its flags.
   * Messages without any response are left out.
   *
   * @throws AppError after too many rejections
   */
  async #halvedRows(uids: readonly UidRange[], query: FetchQueryObject): Promise<Rows> {
    try {
      return await this.#fetch(uids, query)
    } catch (error) {
      if (!isRejection(error) || ++this.#failures > maxFailures) throw error
      const rows: Rows = new Map()
      if (countUids(uids) > 1)
        for (const half of halvesOf(uids)) addRows(rows, await this.#halvedRows(half, query))
      else {
        for (const uid of uidsIn(uids)) this.#rejected.add(uid)
        if (this.#hasHeaders && query !== flagsOnly) return await this.#halvedRows(uids, flagsOnly)
      }
      return rows
    }
  }

  /**
   * Sends the FETCH query with envelope and structure again after NOOP. A response that imapflow
   * cannot read counts as a rejection.
   */
  async #repeat(uids: readonly UidRange[], rows: Rows): Promise<void> {
    const connection = this.#connection
    try {
      await connection.call((client) => connection.noop(client), this.#mailbox)
    } catch (error) {
      if (!isRejection(error)) throw error
    }
    // The body sections of a message may be the reason that its response was unreadable.
    this.#sections = []
    const before = connection.unreadableResponses
    await this.#describe(uids, rows)
    if (connection.unreadableResponses > before)
      for (const uid of uidsIn(uids)) if (!rows.has(uid)) this.#rejected.add(uid)
  }

  /** Converts FETCH responses. Takes addresses from the header if an envelope has none. */
  async #messages(rows: Rows): Promise<FetchedMessage[]> {
    const bare = [...rows.values()].filter(lacksAddresses).map(({ uid }) => uid)
    if (bare.length > 0) await this.#addAddresses(rows, bare)
    return await toFetchedMessages(rows.values(), this.#expected)
  }

  async #addAddresses(rows: Rows, uids: readonly number[]): Promise<void> {
    const { header } = this.#faults
    const parts = header.batches(uids.filter((uid) => !header.isRefused(uid)))
    for (const batch of parts.flatMap((part) => [
      ...batchesOf(rangesOf(part), batchUidsWithHeaders),
    ]))
      for (const [uid, { headers }] of await this.#halvedRows(batch, headersOnly)) {
        const row = rows.get(uid)
        if (row && headers) rows.set(uid, await withHeaderAddresses(row, headers))
        await setImmediate()
      }
  }

  /** Sends a FETCH query. If the connection is lost, records the messages as possible causes. */
  async #fetch(uids: readonly UidRange[], query: FetchQueryObject): Promise<Rows> {
    const faults = this.#faultsOf(query)
    const connection = this.#connection
    let isSent = false
    const onSent = () => void (isSent = true)
    try {
      const rows = await fetchRows(connection, uids, { mailbox: this.#mailbox, query, onSent })
      faults?.clear(uidsIn(uids))
      this.#failures = -Infinity
      return rows
    } catch (error) {
      if (isSent && faults)
        connection.recordLoss(error, (loss) => faults.addLoss([...uidsIn(uids)], loss))
      throw error
    }
  }

  /** Record of the messages of a FETCH query that may have caused the loss of a connection. */
  #faultsOf(query: FetchQueryObject): QueryFaults | undefined {
    if (query.envelope) return this.#faults.description
    const hasHeader = query === headersOnly || (query === this.#bare && this.#hasHeaders)
    return hasHeader ? this.#faults.header : undefined
  }

  #sequence(
    range: readonly [number, number],
    query: FetchQueryObject,
    onSent = () => {},
  ): Promise<Rows> {
    return fetchSequence(this.#connection, range, { mailbox: this.#mailbox, query, onSent })
  }
}
