import type { MailSession, UidRange } from '@posthorn/backends'
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
import { findSelectable, mailboxNotFound, selectIndexed } from '../commands/mailbox.ts'
import type { ReadDeps } from '../commands/read-caches.ts'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import { batchesOf } from '../index/ranges.ts'
import { ExportBatch } from './export-batch.ts'
import { entryIdOf } from './entry-id.ts'

/** Arrival times per FETCH: about 400 KB of responses. */
const timesPerFetch = 5_000
/** Messages per batch. FETCH with headers has as many. The connection is released after a batch. */
const messagesPerBatch = 100
const dayMs = 86_400_000
/** Range of the dates that SEARCH has (RFC 9051: four digits of the year). */
const [firstDay, lastDay] = [Date.UTC(1000), Date.UTC(9999, 0)]

/** Request for a connection after all commands, which leaves a connection free for commands. */
const connectionUse = { longRunning: true, background: true } as const

/** Reads messages of an IMAP account for exports. */
export class ImapExports implements ExportDriver {
  readonly #session: ImapAccountSession
  readonly #deps: ReadDeps
  readonly #refusals = new Map<number, number>()

  constructor(session: ImapAccountSession, deps: ReadDeps) {
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
        // A message without a readable date matched the search, so its date is in the range.
        const order = Number.isNaN(time) ? start : time
        const id = entryIdOf({ mailbox: row.number, uid })
        return order >= start && order < end ? [{ order, id }] : []
      })
      yield { entries, cursor: String(uids.at(-1)?.[1] ?? cursor) }
    }
  }

  async *read(
    ids: readonly string[],
    options: ExportReadOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ExportReading> {
    for (let from = 0; from < ids.length; from += messagesPerBatch)
      yield* this.#readBatch(ids.slice(from, from + messagesPerBatch), options, signal)
  }

  check(signal: AbortSignal): Promise<void> {
    return withMailSession({ session: this.#session, signal }, connectionUse, (mail) => mail.ping())
  }

  get #account(): string {
    return this.#session.account?.account ?? ''
  }

  /** Runs a read on a connection that has selected a mailbox with the stored UIDVALIDITY. */
  #inMailbox<T>(
    row: MailboxRow,
    signal: AbortSignal,
    read: (mail: MailSession) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const session = this.#session
    const use = { mailbox: row.path, ...connectionUse }
    return withMailSession({ session, signal }, use, async (mail) => {
      await selectIndexed(mail, row, { session })
      return read(mail)
    })
  }

  /** Reads a batch of messages on one connection. */
  async *#readBatch(
    ids: readonly string[],
    options: ExportReadOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ExportReading> {
    const session = this.#session
    assertConnected(session.context)
    let isBroken = false
    let release: ((broken?: boolean) => void) | undefined
    try {
      const connection = await session.commands.acquire({ ...connectionUse, signal })
      release = connection.release
      const account = this.#account
      const target = { account, session, signal }
      const { session: mail } = connection
      const refusals = this.#refusals
      const batch = new ExportBatch({ deps: this.#deps, target, mail, options, refusals })
      yield* batch.read(ids)
    } catch (error) {
      isBroken = isLost(error) || signal.aborted
      throw toUnavailable(session.context, error)
    } finally {
      release?.(isBroken)
    }
  }
}

function isLost(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'unreachable'
}

function toFolder({ number }: MailboxRow): ExportFolder {
  return { id: String(number) }
}

/** UIDs above a UID. */
function uidsAfter(ranges: readonly UidRange[], uid: number): UidRange[] {
  return ranges.flatMap(([first, last]): UidRange[] =>
    last > uid ? [[Math.max(first, uid + 1), last]] : [],
  )
}

/** Days that contain a range of times in any time zone: SEARCH compares days of the server. */
function daysAround({ start, end }: { start: number; end: number }) {
  const day = (time: number) =>
    new Date(Math.floor(Math.min(lastDay, Math.max(firstDay, time)) / dayMs) * dayMs)
  return { since: day(start - dayMs), before: day(end + 2 * dayMs) }
}

function notListed(): AppError {
  return new AppError('unavailable', 'The mailboxes of the account are not listed yet', {
    code: 'IMAPUnavailable',
  })
}
