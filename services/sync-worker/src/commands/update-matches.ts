import type { MailSession, MovedMessages, UidRange } from '@posthorn/backends'
import type { CommandHandler } from '@posthorn/bus'
import {
  defined,
  deleteMessages,
  moveMessages,
  type Search,
  updateMessages,
} from '@posthorn/contracts'
import { encodeMessageId } from '@posthorn/message-id'
import { batchesOf } from '../index/ranges.ts'
import { toSearchTerms } from '../messages/search-terms.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { type AccountCommand, type CommandDeps, onAccount, withMailSession } from './account.ts'
import {
  applyUpdate,
  assertLabelSupport,
  deletePermanently,
  findTrash,
  getDestination,
  movedMessageId,
  updateResult,
} from './change-message.ts'
import { getMailbox, selectIndexed } from './mailbox.ts'

/** Messages per batch. The deadline is checked between batches. */
const batchSize = 1_000
/** Maximum ids or pairs of ids in a response, some megabytes. */
const maxIds = 250_000

/** Changes flags and labels of all messages of a mailbox that match a search. */
export function onUpdateMessages(deps: CommandDeps): CommandHandler {
  return onAccount(deps, updateMessages, async ({ path, search, update }, target) => {
    const row = await getMailbox(deps.db, target.account, path)
    try {
      const { count, ...emailIds } = await updateMatches(
        target,
        { row, search, check: (mail) => assertLabelSupport(mail, update) },
        (mail, uids) => applyUpdate(mail, uids, update),
      )
      return { ...updateResult(update, count > 0), ...emailIds }
    } finally {
      target.session.requestSync([row.id])
    }
  })
}

/** Moves all messages of a mailbox that match a search. */
export function onMoveMessages(deps: CommandDeps): CommandHandler {
  return onAccount(deps, moveMessages, async ({ path, search, destination }, target) => {
    const row = await getMailbox(deps.db, target.account, path)
    const to = await getDestination(deps, target, destination)
    try {
      return { path: to.path, ...(await moveMatches(target, { row, search }, to)) }
    } finally {
      target.session.requestSync([row.id, to.id])
    }
  })
}

/** Applies the rules of `deleteMessage` to all messages of a mailbox that match a search. */
export function onDeleteMessages(deps: CommandDeps): CommandHandler {
  return onAccount(deps, deleteMessages, async ({ path, search, force }, target) => {
    const row = await getMailbox(deps.db, target.account, path)
    const trash = await findTrash(deps, target.account)
    try {
      if (force || !trash || trash.id === row.id) {
        const { count, emailIds } = await updateMatches(target, { row, search }, (mail, uids) =>
          deletePermanently(mail, uids, { row, trash }),
        )
        return defined({ deleted: count > 0, deletedMessages: emailIds && { emailIds } })
      }
      const moved = await moveMatches(target, { row, search }, trash)
      return { deleted: false, moved: { destination: trash.path, ...moved } }
    } finally {
      target.session.requestSync([row.id, ...(trash ? [trash.id] : [])])
    }
  })
}

/** Messages of a mailbox that match a search. */
interface SearchScope {
  row: MailboxRow
  search: Search
  /** Precondition, checked before the search; throws if it is not met. */
  check?: (mail: MailSession) => void
}

interface UpdatedMatches {
  /** Number of matching messages. */
  count: number
  /** Persistent ids of the changed messages, if the server has such ids. */
  emailIds?: string[]
}

/**
 * Changes all matches in batches on one connection. At the deadline it stops between two batches:
 * completed batches stay changed. No batch is repeated.
 */
async function updateMatches(
  { session, signal }: AccountCommand,
  { row, search, check }: SearchScope,
  change: (mail: MailSession, uids: UidRange[]) => Promise<void>,
): Promise<UpdatedMatches> {
  const terms = toSearchTerms(search)
  let matches: UidRange[] = []
  const prepare = async (mail: MailSession) => {
    check?.(mail)
    await selectIndexed(mail, row, { session, readOnly: false })
    matches = await mail.search(terms)
  }
  const options = { mailbox: row.path, longRunning: true, prepare }
  return withMailSession({ session, signal }, options, async (mail) => {
    const { objectId, gmail } = mail.capabilities
    const emailIds: string[] = []
    let count = 0
    for (const uids of batchesOf(matches, batchSize)) {
      signal.throwIfAborted()
      await mail.ensureSelected(row.path, { readOnly: false })
      const ids = await mail.emailIds(uids)
      await change(mail, uids)
      for (const id of ids) emailIds.push(id)
      for (const [first, last] of uids) count += last - first + 1
    }
    return defined({ count, emailIds: objectId || gmail ? emailIds.slice(0, maxIds) : undefined })
  })
}

async function moveMatches(
  target: AccountCommand,
  { row, search }: SearchScope,
  destination: MailboxRow,
): Promise<{ idMap?: [string, string][]; emailIds?: string[] }> {
  const ids = new IdMap(row, destination)
  const { emailIds } = await updateMatches(target, { row, search }, async (mail, uids) =>
    ids.add(await mail.moveMessages(uids, destination.path)),
  )
  return defined({ idMap: ids.pairs, emailIds })
}

/** Collects pairs of old and new ids. Undefined once the server omits some or the limit is hit. */
class IdMap {
  pairs: [string, string][] | undefined = []
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
        this.pairs?.push([encodeMessageId({ mailbox: this.#from.number, uid }), id])
    }
    if (!moved.uids || (this.pairs?.length ?? 0) > maxIds) this.pairs = undefined
  }
}
