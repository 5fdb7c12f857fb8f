import type { MailSession, SearchTerms, UidRange } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import {
  findMailboxByNumber,
  isSelectable,
  listMailboxRows,
  type MailboxRow,
} from '../../../store/mailboxes.ts'
import { assertConnected, toUnavailable } from '../../availability.ts'
import type {
  ExportDriver,
  ExportEntry,
  ExportFolder,
  ExportReading,
  ExportReadOptions,
  ListedPage,
  ListRange,
} from '../../export-driver.ts'
import { defaultExportFolders } from '../../export-folders.ts'
import { withMailSession } from '../commands/account.ts'
import {
  findSelectable,
  indexingError,
  mailboxNotFound,
  requestList,
  selectIndexed,
} from '../commands/mailbox.ts'
import type { PooledConnection } from '../connections/command-pool.ts'
import type { ConnectionRequest } from '../connections/connection-request.ts'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import { batchesOf } from '../index/ranges.ts'
import { ConnectionWait } from './connection-wait.ts'
import {
  type BatchOptions,
  ExportBatch,
  type ExportReadDeps,
  maxHeldBytes,
  messagesPerFetch,
} from './export-batch.ts'
import { entryIdOf, entryPositionOf } from './entry-id.ts'

/**
 * Maximum messages whose arrival times an export requests by one FETCH: about 80 KB of responses.
 */
const timesPerFetch = 1_000
/** Number of messages per batch of an export. The IMAP connection is released after each batch. */
const batchLimits = { first: 100, min: 20, max: 250 }
/** Intended bytes of an export batch. Below the maximum, because messages differ in size. */
const targetBytes = maxHeldBytes * 0.7
const dayMs = 86_400_000
/** Dates that SEARCH may contain: Cyrus rejects dates before 1900, other servers have 32 bits. */
const [firstDay, lastDay] = [Date.UTC(1970), Date.UTC(2038)]

/** Connection use of exports: after all commands, leaving one connection free for commands. */
const connectionUse = { longRunning: true, background: true } as const

/** Reads messages of an IMAP account for exports. */
export class ImapExports implements ExportDriver {
  readonly #session: ImapAccountSession
  readonly #deps: ExportReadDeps
  readonly #refusals = new Map<number, number>()
  readonly #expected: BatchOptions['expected'] = { sections: [] }
  /** Number of messages in the next batch of an export. Most batches thus fit into memory. */
  #batchSize = batchLimits.first

  constructor(session: ImapAccountSession, deps: ExportReadDeps) {
    this.#session = session
    this.#deps = deps
  }

  async folders(names: readonly string[], _signal: AbortSignal): Promise<ExportFolder[]> {
    assertConnected(this.#session.context)
    const { db } = this.#deps
    const rows = await listMailboxRows(db, this.#account)
    if (rows.length === 0) throw notListed()
    const selectable = rows.filter((row) => row.listed && isSelectable(row))
    if (names.length === 0) return defaultExportFolders(selectable).map(toFolder)
    const named = await Promise.all(names.map((name) => findSelectable(db, this.#account, name)))
    const byId = new Map(named.flatMap((row) => (row ? [[row.id, row] as const] : [])))
    return [...byId.values()].map(toFolder)
  }

  async *list(
    folder: ExportFolder,
    { start, end, cursor = '0' }: ListRange,
    signal: AbortSignal,
  ): AsyncGenerator<ListedPage> {
    const row = await findMailboxByNumber(this.#deps.db, this.#account, Number(folder.id))
    if (!row) throw mailboxNotFound()
    const terms = daysAround({ start, end })
    const matches = await this.#inMailbox(row, signal, (mail) => mail.search(terms))
    for (const uids of batchesOf(uidsAfter(matches, Number(cursor)), timesPerFetch)) {
      const arrivals = await this.#inMailbox(row, signal, (mail) => mail.arrivalTimes(uids))
      const entries = arrivals.flatMap(({ uid, internalDate }): ExportEntry[] => {
        const time = internalDate.getTime()
        // An exported message without a readable date matched the search, so its date is in range.
        const order = Number.isNaN(time) ? start : time
        const id = entryIdOf({ mailbox: row.number, uid })
        return order >= start && order < end ? [{ order, id }] : []
      })
      yield { entries, cursor: String(uids.at(-1)?.[1] ?? cursor) }
    }
  }

  /** Reads messages in batches. While a batch in memory is exported, the next batch is fetched. */
  async *read(
    ids: readonly string[],
    options: ExportReadOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ExportReading> {
    let from = 0
    const fetchNext = () => {
      const batch = batchAt(ids, from, this.#batchSize)
      from += batch.length
      return batch.length > 0 ? this.#fetchBatch(batch, options, signal) : undefined
    }
    let next = fetchNext()
    try {
      while (next) {
        const fetched: FetchedBatch = await next
        next = fetched.batch.isComplete ? fetchNext() : undefined
        // A failure to fetch the next export batch is handled after the current batch.
        next?.catch(() => undefined)
        yield* this.#readBatch(fetched, signal)
        next ??= fetchNext()
      }
    } finally {
      await next?.then(
        ({ release }) => release(),
        () => undefined,
      )
    }
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#onConnection(connectionUse, signal, (mail) => mail.ping())
  }

  get #account(): string {
    return this.#session.account?.account ?? ''
  }

  /** Runs an export's read on a connection with the mailbox selected at the stored UIDVALIDITY. */
  #inMailbox<T>(
    row: MailboxRow,
    signal: AbortSignal,
    read: (mail: MailSession) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const session = this.#session
    const use = { mailbox: row.path, ...connectionUse }
    const work = async (mail: MailSession) => {
      await selectIndexed(mail, row, { session })
      return read(mail)
    }
    return this.#onConnection(use, signal, work).catch((error: unknown) =>
      this.#handleMissing(row, error),
    )
  }

  /**
   * Handles a mailbox of an export that cannot be selected. If the mailbox is still listed, it may
   * be renamed, and the next sync of the mailbox list finds its new path.
   */
  async #handleMissing({ number }: MailboxRow, error: unknown): Promise<never> {
    if (!(error instanceof AppError) || error.kind !== 'not-found') throw error
    const row = await findMailboxByNumber(this.#deps.db, this.#account, number)
    if (!row?.listed) throw error
    requestList(this.#session)
    throw indexingError(this.#session.state ?? 'init')
  }

  /** Runs export work. @throws AppError `rate-limited` if all IMAP connections stay in use */
  async #onConnection<T>(
    use: Omit<ConnectionRequest, 'signal'>,
    signal: AbortSignal,
    work: (mail: MailSession) => Promise<T>,
  ): Promise<T> {
    using wait = new ConnectionWait(signal)
    return await withMailSession({ session: this.#session, signal: wait.signal }, use, (mail) => {
      wait[Symbol.dispose]()
      return work(mail)
    })
  }

  /** Fetches an export batch. Releases the IMAP connection unless further reads need it. */
  async #fetchBatch(
    ids: readonly string[],
    options: ExportReadOptions,
    signal: AbortSignal,
  ): Promise<FetchedBatch> {
    const session = this.#session
    assertConnected(session.context)
    let release: FetchedBatch['release'] = () => undefined
    try {
      const connection = await this.#acquire(signal)
      release = connection.release
      const target = { account: this.#account, session, signal }
      const batchOptions = {
        deps: this.#deps,
        target,
        mail: connection.session,
        options,
        refusals: this.#refusals,
        expected: this.#expected,
      }
      const batch = new ExportBatch(batchOptions, ids)
      await batch.fetch()
      this.#adaptBatchSize(batch.bytesPerMessage)
      if (batch.isComplete) {
        release()
        release = () => undefined
      }
      return { batch, release }
    } catch (error) {
      release(isLost(error) || signal.aborted)
      throw toUnavailable(session.context, error)
    }
  }

  async #acquire(signal: AbortSignal): Promise<PooledConnection> {
    using wait = new ConnectionWait(signal)
    return await this.#session.commands.acquire({ ...connectionUse, signal: wait.signal })
  }

  #adaptBatchSize(bytesPerMessage: number): void {
    const { min, max } = batchLimits
    const size = Math.floor(targetBytes / Math.max(1, bytesPerMessage))
    this.#batchSize = Math.min(max, Math.max(min, size))
  }

  async *#readBatch(
    { batch, release }: FetchedBatch,
    signal: AbortSignal,
  ): AsyncGenerator<ExportReading> {
    let isBroken = false
    try {
      yield* batch.read()
    } catch (error) {
      isBroken = isLost(error) || signal.aborted
      throw toUnavailable(this.#session.context, error)
    } finally {
      release(isBroken)
    }
  }
}

/**
 * Selects the next export batch of at most `maxItems` messages. Ends with the first mailbox that
 * fills one FETCH: more messages would save no round trip, and take memory. Pure.
 */
export function batchAt(ids: readonly string[], from: number, maxItems: number): string[] {
  const counts = new Map<number, number>()
  let end = from
  while (end < ids.length && end - from < maxItems) {
    const { mailbox } = entryPositionOf(ids[end++] ?? '')
    const count = (counts.get(mailbox) ?? 0) + 1
    if (count >= messagesPerFetch) break
    counts.set(mailbox, count)
  }
  return ids.slice(from, end)
}

/** Export batch that was fetched, and the function that releases its IMAP connection. */
interface FetchedBatch {
  batch: ExportBatch
  release: (broken?: boolean) => void
}

function isLost(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'unreachable'
}

function toFolder({ number }: MailboxRow): ExportFolder {
  return { id: String(number) }
}

/** Selects the UIDs of some ranges that are above a UID. */
function uidsAfter(ranges: readonly UidRange[], uid: number): UidRange[] {
  return ranges.flatMap(([first, last]): UidRange[] =>
    last > uid ? [[Math.max(first, uid + 1), last]] : [],
  )
}

/**
 * IMAP search for the days around a range of arrival times, in any time zone: SEARCH compares the
 * server's days. Leaves out dates that servers may reject.
 */
function daysAround({ start, end }: { start: number; end: number }): SearchTerms {
  const day = (time: number) =>
    time > firstDay && time < lastDay ? new Date(Math.floor(time / dayMs) * dayMs) : undefined
  return defined({ since: day(start - dayMs), before: day(end + 2 * dayMs) })
}

function notListed(): AppError {
  return new AppError('unavailable', 'The mailboxes of the account are not listed yet', {
    code: 'IMAPUnavailable',
  })
}
