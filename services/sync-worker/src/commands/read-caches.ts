import type { MailSession } from '@posthorn/backends'
import type { MessageEntry } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { fixedBackoff, retryUntil, TtlCache } from '@posthorn/flow'
import type { MessageReader } from '@posthorn/message-reader'
import type { AccountSession } from '../sessions/account-session.ts'
import { findBounces, hasBounces } from '../store/bounces.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { type AccountCommand, type CommandDeps, withMailSession } from './account.ts'
import { getMailbox, getMailboxByNumber, isIndexingError } from './mailbox.ts'

/** Dependencies of handlers that only read. */
export interface ReadDeps extends CommandDeps {
  settings: SettingsCache
  mailboxes: MailboxCache
  bounces: BounceCache
  reader: Pick<MessageReader, 'forAccount'>
}

/** Long enough for consecutive reads, short enough to need no invalidation. */
const mailboxTtlMs = 2_000
const maxMailboxesPerAccount = 100
/** Delays before a mailbox is looked up again whose sync is in progress. */
const indexingRetriesMs = [100, 200, 400, 800]

/** Lookup of a mailbox by path or by number. */
export interface MailboxLookup {
  key: string | number
  find: () => Promise<MailboxRow>
}

/**
 * Cache of mailbox rows, so that consecutive reads do not wait for Postgres. Cached rows may be
 * stale: if a message or mailbox is not found, the row is read again and the work repeated. For
 * idempotent reads only.
 */
export class MailboxCache {
  readonly #bySession = new WeakMap<AccountSession, TtlCache<string | number, MailboxRow>>()
  readonly #retriesMs: readonly number[]

  constructor(retriesMs: readonly number[] = indexingRetriesMs) {
    this.#retriesMs = retriesMs
  }

  /** Runs work on the cached row, then on the stored one if the cached row may be stale. */
  async use<T>(
    session: AccountSession,
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

  #rowsOf(session: AccountSession): TtlCache<string | number, MailboxRow> {
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

/** Reads from a mailbox, given by path or number, on a connection of the account. */
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
    withMailSession(target, { mailbox: row.path }, (mail) => read(mail, row)),
  )
}

/** Time that an account without bounces is not queried again. Most accounts have none. */
const withoutBouncesMs = 10_000

/** Adds to messages the bounces reported for them. A new bounce may appear up to 10 s later. */
export class BounceCache {
  /** Epoch milliseconds until which the account of a session counts as having no bounces. */
  readonly #noneUntil = new WeakMap<AccountSession, number>()

  async addTo<T extends Pick<MessageEntry, 'messageId' | 'bounces'>>(
    db: Db,
    { session, account }: Pick<AccountCommand, 'session' | 'account'>,
    messages: readonly T[],
  ): Promise<T[]> {
    if (messages.length === 0 || (this.#noneUntil.get(session) ?? 0) > Date.now())
      return [...messages]
    if (!(await hasBounces(db, account))) {
      this.#noneUntil.set(session, Date.now() + withoutBouncesMs)
      return [...messages]
    }
    const ids = messages.flatMap(({ messageId }) => messageId ?? [])
    const byMessageId = await findBounces(db, account, ids)
    return messages.map((message) => {
      const bounces = byMessageId.get(message.messageId ?? '')
      return bounces ? { ...message, bounces } : message
    })
  }
}
