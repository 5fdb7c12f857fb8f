import type { MailSession, UidRange } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { Search } from '@posthorn/contracts/schemas/search'
import { encodeMessageId } from '@posthorn/message-id'
import { batchesOf, countUids, normaliseRanges, subtractRanges, uidsIn } from '../index/ranges.ts'
import { toSearchTerms } from '../../messages/search-terms.ts'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import type { AccountReply, AccountRequest } from '../../account-driver.ts'
import { updateResult } from '../../messages/flag-result.ts'
import { type AccountCommand, type CommandDeps, withMailSession } from './account.ts'
import {
  applyUpdate,
  assertLabelSupport,
  deletePermanently,
  findTrash,
  getDestination,
  movedMessageId,
} from './change-message.ts'
import { getMailbox, selectIndexed } from './mailbox.ts'

/**
 * Maximum messages per batch of a command that changes all matches of a search. The deadline is
 * checked between batches.
 */
const batchSize = 1_000
/**
 * Maximum number of message ids, or pairs of ids, in the response to a command that changes all
 * matches of a search. The ids take some megabytes.
 */
const maxIds = 250_000

/**
 * Changes flags and labels of all messages in a mailbox that match a search. A message counts as
 * not changed if the server shows the message without the requested flags, or does not show the
 * message.
 */
export async function updateMessages(
  { path, search, update }: AccountRequest<'updateMessages'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'updateMessages'>> {
  const row = await getMailbox(deps.db, target.account, path)
  let matched = 0
  const { count, emailIds } = await updateMatches(
    target,
    { row, search, check: (mail) => assertLabelSupport(mail, update) },
    async (mail, uids) => {
      const { unchanged, missing } = await applyUpdate(mail, uids, update)
      matched += countUids(uids)
      return normaliseRanges([...unchanged, ...missing])
    },
  )
  const result = updateResult(update, { flags: count > 0, labels: matched > 0 })
  return { ...result, ...defined({ emailIds }) }
}

/** Moves all messages in a mailbox that match a search. */
export async function moveMessages(
  { path, search, destination }: AccountRequest<'moveMessages'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'moveMessages'>> {
  const row = await getMailbox(deps.db, target.account, path)
  const to = await getDestination(deps, target, destination)
  return { path: to.path, ...(await moveMatches(target, { row, search, destination: to })) }
}

/** Deletes all messages in a mailbox that match a search, by the rules of `deleteMessage`. */
export async function deleteMessages(
  { path, search, force }: AccountRequest<'deleteMessages'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'deleteMessages'>> {
  const row = await getMailbox(deps.db, target.account, path)
  const trash = await findTrash(deps, target.account)
  if (force || !trash || trash.id === row.id) {
    const scope = { row, search, destination: trash }
    const { count, emailIds } = await updateMatches(target, scope, (mail, uids) =>
      deletePermanently(mail, uids, { row, trash }),
    )
    return defined({ deleted: count > 0, deletedMessages: emailIds && { emailIds } })
  }
  const moved = await moveMatches(target, { row, search, destination: trash })
  return { deleted: false, moved: { destination: trash.path, ...moved } }
}

/** Mailbox and search that select the messages to change. */
interface SearchScope {
  row: MailboxRow
  search: Search
  /** Mailbox to which a change of all matches of a search may move the messages. */
  destination?: MailboxRow | undefined
  /**
   * Checks a precondition of the messages' change on the connection, such as a server capability,
   * before the search. Throws if the precondition is not met.
   */
  check?: (mail: MailSession) => void
}

interface UpdatedMatches {
  /** Number of messages that the command changed. */
  count: number
  /** Persistent ids of the changed messages. Absent if the IMAP server has no persistent ids. */
  emailIds?: string[]
}

/**
 * Changes all messages in a mailbox that match a search, in batches on one connection. At the
 * deadline, the command stops between two batches, and completed batches stay changed. No batch is
 * repeated. Requests a sync in any case. `change` may return the messages that stayed unchanged.
 */
async function updateMatches(
  { session, signal }: AccountCommand,
  { row, search, destination = row, check }: SearchScope,
  change: (mail: MailSession, uids: UidRange[]) => Promise<readonly UidRange[] | void>,
): Promise<UpdatedMatches> {
  const terms = toSearchTerms(search)
  let matches: UidRange[] = []
  const prepare = async (mail: MailSession) => {
    check?.(mail)
    await selectIndexed(mail, row, { session, readOnly: false })
    matches = await mail.search(terms)
  }
  const changeAll = async (mail: MailSession) => {
    const { objectId, gmail } = mail.capabilities
    const emailIds: string[] = []
    let count = 0
    for (const uids of batchesOf(matches, batchSize)) {
      signal.throwIfAborted()
      await mail.ensureSelected(row.path, { readOnly: false })
      // The ids of messages that match a search are read before the change, because changed
      // messages may leave the mailbox.
      const ids = await mail.emailIds(uids)
      const left = (await change(mail, uids)) ?? []
      const changed = subtractRanges(uids, left)
      for (const uid of uidsIn(changed)) {
        const id = ids.get(uid)
        if (id !== undefined) emailIds.push(id)
      }
      count += countUids(changed)
    }
    return defined({ count, emailIds: objectId || gmail ? emailIds.slice(0, maxIds) : undefined })
  }
  try {
    const options = { mailbox: row.path, longRunning: true, prepare }
    return await withMailSession({ session, signal }, options, changeAll)
  } finally {
    session.requestSync([row.id, destination.id])
  }
}

/**
 * Moves all messages that match a search. Returns pairs of old and new message ids. The pairs are
 * absent if the server reports no new UIDs for a batch, or if there are too many pairs.
 */
async function moveMatches(
  target: AccountCommand,
  scope: SearchScope & { destination: MailboxRow },
): Promise<{ idMap?: [string, string][]; emailIds?: string[] }> {
  const { row, destination } = scope
  let idMap: [string, string][] | undefined = []
  const { emailIds } = await updateMatches(target, scope, async (mail, uids) => {
    const moved = await mail.moveMessages(uids, destination.path)
    const newId = movedMessageId(destination, moved)
    for (const uid of moved.uids?.keys() ?? []) {
      const id = newId(uid)
      if (id !== undefined) idMap?.push([encodeMessageId({ mailbox: row.number, uid }), id])
    }
    if (!moved.uids || (idMap?.length ?? 0) > maxIds) idMap = undefined
  })
  return defined({ idMap, emailIds })
}
