import type { MailSession } from '@posthorn/backends'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { fixedBackoff, retryUntil, TtlCache } from '@posthorn/flow'
import type { MessageReader } from '@posthorn/message-reader'
import type { BounceCache } from '../../messages/bounce-cache.ts'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import { type AccountCommand, type CommandDeps, withMailSession } from './account.ts'
import { getMailbox, getMailboxByNumber, isIndexingError } from './mailbox.ts'

/** Dependencies of commands that only read from an IMAP account. */
export interface ReadDeps extends CommandDeps {
  settings: SettingsCache
  mailboxes: MailboxCache
  bounces: BounceCache
  reader: Pick<MessageReader, 'forAccount'>
}

/** Lifetime of a cached mailbox row: covers consecutive reads, and needs no invalidation. */
const mailboxTtlMs = 2_000
const maxMailboxesPerAccount = 100
/** Delays before the row of a mailbox is read again while a sync of the mailbox is in progress. */
const indexingRetriesMs = [100, 200, 400, 800]

/** Lookup of a mailbox row by path or by mailbox number. */
export interface MailboxLookup {
  key: string | number
  find: () => Promise<MailboxRow>
}

/**
 * Cache of mailbox rows, so that consecutive reads do not wait for Postgres. A cached row may be
 * stale: if a message or mailbox is not found, the row is read from Postgres and the work is
 * repeated. Only for idempotent reads.
 */
export class MailboxCache {
  readonly #bySession = new WeakMap<ImapAccountSession, TtlCache<string | number, MailboxRow>>()
  readonly #retriesMs: readonly number[]

  constructor(retriesMs: readonly number[] = indexingRetriesMs) {
    this.#retriesMs = retriesMs
  }

  /**
   * Runs a command's read with the cached mailbox row, and again with the stored row if the cache
   * is stale.
   */
  async use<T>(
    session: ImapAccountSession,
    { key, find }: MailboxLookup,
    work: (row: MailboxRow) => Promise<T>,
  ): Promise<T> {
    const rows = this.#rowsOf(session)
    const cached = rows.get(key)
    if (cached) {
      try {
        return await work(cached)
      } catch (error) {
        if (!mayBeStale(error)) throw error
      }
    }
    const readStored = async () => {
      rows.delete(key)
      const row = await find()
      rows.set(key, row)
      return work(row)
    }
    return retryUntil(readStored, {
      delayMs: fixedBackoff(this.#retriesMs),
      maxAttempts: this.#retriesMs.length + 1,
      isRetryable: isIndexingError,
    })
  }

  #rowsOf(session: ImapAccountSession): TtlCache<string | number, MailboxRow> {
    let rows = this.#bySession.get(session)
    if (!rows) {
      rows = new TtlCache({ ttlMs: mailboxTtlMs, max: maxMailboxesPerAccount })
      this.#bySession.set(session, rows)
    }
    return rows
  }
}

function mayBeStale(error: unknown): boolean {
  return isIndexingError(error) || (error instanceof AppError && error.kind === 'not-found')
}

/** Reads from a mailbox, found by its path or number, on a connection of the account. */
export function readMailbox<T>(
  { db, mailboxes }: Pick<ReadDeps, 'db' | 'mailboxes'>,
  { key, ...target }: AccountCommand & { key: string | number },
  read: (mail: MailSession, row: MailboxRow) => Promise<T>,
): Promise<T> {
  const find = () =>
    typeof key === 'string'
      ? getMailbox(db, target.account, key)
      : getMailboxByNumber(db, target.account, key)
  return mailboxes.use(target.session, { key, find }, (row) =>
    withMailSession(target, { mailbox: row.path, mayBorrow: true }, (mail) => read(mail, row)),
  )
}
