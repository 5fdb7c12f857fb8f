import type { MailSession, MovedMessages, UidRange } from '@posthorn/backends'
import type { Search } from '@posthorn/contracts'
import { encodeMessageId } from '@posthorn/message-id'
import { batchesOf } from '../index/ranges.ts'
import { toSearchTerms } from '../messages/search-terms.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { withMailSession } from './account.ts'
import { movedMessageId } from './change-message.ts'
import type { AccountCommand } from './change-mailbox.ts'
import { selectIndexed } from './mailbox.ts'

/** Messages that are changed in one go. Between two of them the deadline is looked at. */
const batchSize = 1_000
/** Pairs of ids that an answer holds: some megabytes. */
const maxIds = 250_000

/** All that a search in a folder finds. */
export interface SearchScope {
  row: MailboxRow
  search: Search
  /** Said before anything is searched for or changed. */
  check?: (mail: MailSession) => void
}

export interface UpdatedMatches {
  /** How many were found. */
  count: number
  /** The ids that last of those that were changed, where the server has such. */
  emailIds?: string[]
}

/**
 * Changes what a search finds, piece by piece, on one connection. When time is up between two pieces it ends there: what is done stays
 * done. Nothing is done twice.
 */
export async function updateMatches(
  { session, signal }: AccountCommand,
  { row, search, check }: SearchScope,
  change: (mail: MailSession, uids: UidRange[]) => Promise<void>,
): Promise<UpdatedMatches> {
  const terms = toSearchTerms(search)
  let matches: UidRange[] = []
  const ready = async (mail: MailSession) => {
    check?.(mail)
    await selectIndexed(mail, row, { session, readOnly: false })
    matches = await mail.search(terms)
  }
  return withMailSession(
    session,
    { signal, mailbox: row.path, longRunning: true, prepare: ready },
    async (mail) => {
      const { objectId, gmail } = mail.capabilities
      const emailIds: string[] = []
      let count = 0
      for (const uids of batchesOf(matches, batchSize)) {
        signal.throwIfAborted()
        await mail.open(row.path, { readOnly: false })
        const ids = await mail.emailIds(uids)
        await change(mail, uids)
        for (const id of ids) emailIds.push(id)
        for (const [first, last] of uids) count += last - first + 1
      }
      return { count, ...(objectId || gmail ? { emailIds: emailIds.slice(0, maxIds) } : {}) }
    },
  )
}

/** Pairs of ids before and after, gathered piece by piece. Undefined as soon as some are not told. */
export class IdMap {
  #pairs: [string, string][] | undefined = []
  readonly #from: MailboxRow
  readonly #to: MailboxRow

  constructor(from: MailboxRow, to: MailboxRow) {
    this.#from = from
    this.#to = to
  }

  add(moved: MovedMessages): void {
    const newId = movedMessageId(this.#to, moved)
    for (const uid of moved.uids?.keys() ?? []) {
      const id = newId(uid)
      if (id !== undefined)
        this.#pairs?.push([encodeMessageId({ mailbox: this.#from.number, uid }), id])
    }
    if (!moved.uids || (this.#pairs?.length ?? 0) > maxIds) this.#pairs = undefined
  }

  get member(): { idMap?: [string, string][] } {
    return this.#pairs ? { idMap: this.#pairs } : {}
  }
}
