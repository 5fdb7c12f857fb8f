import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { isBeingIndexed } from './mailbox.ts'

/** Long enough for who reads one message after the other, short enough that nobody has to tell us of changes. */
const keepMs = 2_000
/** Of one account. */
const maxKnown = 100

/** By path, or by number. */
export interface Sought {
  key: string | number
  find: () => Promise<MailboxRow>
}

interface Known {
  row: MailboxRow
  until: number
}

/**
 * Mailboxes that readers used a moment ago, so that not every reading waits for Postgres. What is known may be out of date: who does not find
 * what should be there looks it up and tries once more. Only for readers, who may do things twice.
 */
export class KnownMailboxes {
  readonly #known = new WeakMap<AccountSession, Map<string | number, Known>>()

  /** Runs work on the mailbox as it is known; again as it is stored where that did not lead to what is sought. */
  async use<T>(
    session: AccountSession,
    sought: Sought,
    work: (row: MailboxRow) => Promise<T>,
  ): Promise<T> {
    const known = this.#of(session).get(sought.key)
    if (known && known.until > Date.now()) {
      try {
        return await work(known.row)
      } catch (error) {
        if (!mayBeOutdated(error)) throw error
      }
    }
    return work(await this.#look(session, sought))
  }

  async #look(session: AccountSession, { key, find }: Sought): Promise<MailboxRow> {
    const mailboxes = this.#of(session)
    mailboxes.delete(key)
    const row = await find()
    if (mailboxes.size >= maxKnown) mailboxes.clear()
    mailboxes.set(key, { row, until: Date.now() + keepMs })
    return row
  }

  #of(session: AccountSession): Map<string | number, Known> {
    let mailboxes = this.#known.get(session)
    if (!mailboxes) this.#known.set(session, (mailboxes = new Map()))
    return mailboxes
  }
}

function mayBeOutdated(error: unknown): boolean {
  return error instanceof AppError && (error.kind === 'not-found' || isBeingIndexed(error))
}
