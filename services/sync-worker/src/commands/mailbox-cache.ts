import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { isIndexingError } from './mailbox.ts'

/** Long enough for who reads one message after the other, short enough that nobody has to tell us of changes. */
const keepMs = 2_000
/** Of one account. */
const maxKnown = 100
/** Waits before looking again at a mailbox whose sync is on its way: one that was made a moment ago is known by then. */
const indexingRetriesMs = [100, 200, 400, 800]

/** By path, or by number. */
export interface MailboxLookup {
  key: string | number
  find: () => Promise<MailboxRow>
}

interface CachedMailbox {
  row: MailboxRow
  until: number
}

/**
 * Mailboxes that readers used a moment ago, so that not every reading waits for Postgres. What is known may be out of date: who does not find
 * what should be there looks it up and tries once more, and a little longer where its sync is on its way. Only for readers, who may do things twice.
 */
export class MailboxCache {
  readonly #known = new WeakMap<AccountSession, Map<string | number, CachedMailbox>>()
  readonly #pausesMs: readonly number[]

  constructor(pausesMs: readonly number[] = indexingRetriesMs) {
    this.#pausesMs = pausesMs
  }

  /** Runs work on the mailbox as it is known; again as it is stored where that did not lead to what is sought. */
  async use<T>(
    session: AccountSession,
    sought: MailboxLookup,
    work: (row: MailboxRow) => Promise<T>,
  ): Promise<T> {
    const known = this.#of(session).get(sought.key)
    if (known && known.until > Date.now()) {
      try {
        return await work(known.row)
      } catch (error) {
        if (!mayBeStale(error)) throw error
      }
    }
    for (const pauseMs of this.#pausesMs) {
      try {
        return await work(await this.#look(session, sought))
      } catch (error) {
        if (!(error instanceof AppError) || !isIndexingError(error)) throw error
      }
      await delay(pauseMs)
    }
    return work(await this.#look(session, sought))
  }

  async #look(session: AccountSession, { key, find }: MailboxLookup): Promise<MailboxRow> {
    const mailboxes = this.#of(session)
    mailboxes.delete(key)
    const row = await find()
    if (mailboxes.size >= maxKnown) mailboxes.clear()
    mailboxes.set(key, { row, until: Date.now() + keepMs })
    return row
  }

  #of(session: AccountSession): Map<string | number, CachedMailbox> {
    let mailboxes = this.#known.get(session)
    if (!mailboxes) this.#known.set(session, (mailboxes = new Map()))
    return mailboxes
  }
}

function mayBeStale(error: unknown): boolean {
  return error instanceof AppError && (error.kind === 'not-found' || isIndexingError(error))
}
