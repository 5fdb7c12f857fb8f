import type { MailSession, SelectedMailbox, UidRange } from '@posthorn/backends'
import { undefinedIf } from '../../../messages/undefined-if.ts'
import {
  batchesOf,
  countUids,
  intersectRanges,
  normaliseRanges,
  rangesOf,
  subtractRanges,
} from '../../index/ranges.ts'
import type { SyncContext } from '../context.ts'

/** Maximum messages per request for indexed messages that the list of a mailbox lacks. */
const pieceSize = 500
/** Maximum requests for unlisted messages per sync of a mailbox. The next sync continues. */
const maxPieces = 10

/** List of the UIDs in the selected mailbox, and the number of messages that the server reports. */
export interface UidList {
  readonly uids: readonly UidRange[]
  /** Number of messages that the server reports (EXISTS). */
  readonly exists: number
  /**
   * True if the list of UIDs is shorter than the server reports, so that missing UIDs prove no
   * deletion.
   */
  readonly isShort: boolean
}

type ListContext = Pick<SyncContext, 'session' | 'shortLists'>

/**
 * Lists the UIDs in the selected mailbox. If a list is short for the first time, selects the
 * mailbox again and repeats the list, because messages may have been deleted meanwhile. Undefined
 * if the other SELECT reports another UIDVALIDITY. With `verifies`, also searches a mailbox without
 * messages: the search must confirm EXISTS 0 before all messages count as deleted.
 */
export async function listUids(
  { session, shortLists }: ListContext,
  mailbox: { id: string; verifies?: boolean },
  selected: SelectedMailbox,
): Promise<UidList | undefined> {
  const uids = await searchAll(session, selected, mailbox)
  const list = toList(uids, uids, selected)
  if (!list.isShort || shortLists.has(mailbox.id)) return list
  const again = await session.select(selected.path, { readOnly: true })
  if (again.uidValidity !== selected.uidValidity) return undefined
  const repeated = await searchAll(session, again, mailbox)
  return toList(repeated, joinRanges(uids, repeated), again)
}

/**
 * List of all messages in the selected mailbox. A short list is replaced by the union of several
 * searches. Messages that arrived after SELECT (UIDNEXT and above) are not part of the server's
 * number of messages.
 */
function toList(
  all: readonly UidRange[],
  union: readonly UidRange[],
  { messages: exists, uidNext }: SelectedMailbox,
): UidList {
  const counted = uidNext > 1 ? intersectRanges(all, [[1, uidNext - 1]]) : all
  const isShort = countUids(counted) < exists
  return { uids: isShort ? union : all, exists, isShort }
}

async function searchAll(
  session: MailSession,
  { messages }: SelectedMailbox,
  { verifies = false }: { verifies?: boolean },
): Promise<readonly UidRange[]> {
  if (messages > 0) return session.searchUids({ all: true })
  // A rejected search counts as empty, because some servers reject searches in an empty mailbox.
  return (verifies && (await undefinedIf(session.searchUids({ all: true }), 'rejected'))) || []
}

export function joinRanges(a: readonly UidRange[], b: readonly UidRange[]): UidRange[] {
  return normaliseRanges([...a, ...b])
}

/**
 * Records whether the list of a mailbox is short. Counts and logs the beginning or end of a gap
 * (period with short lists). Returns true if a gap ends.
 */
export function recordList(
  { deps, log, shortLists }: Pick<SyncContext, 'deps' | 'log' | 'shortLists'>,
  { id, path }: { id: string; path: string },
  list: UidList & Pick<SelectedMailbox, 'uidValidity'>,
): boolean {
  const { uids, exists: total, isShort, uidValidity } = list
  if (!isShort) {
    const ends = shortLists.clear(id)
    if (ends) log.info({ path }, 'mail server lists all messages again')
    return ends
  }
  if (shortLists.add(id, uidValidity)) {
    deps.metrics.mailboxListShort()
    const listed = countUids(uids)
    log.warn({ path, listed, total }, 'mail server lists fewer messages than it counts')
  }
  return false
}

/**
 * Yields indexed messages that are deleted. A list that agrees with EXISTS proves that all messages
 * it lacks are deleted. A short list proves nothing. If lists have been short for long enough, the
 * messages that the list lacks are requested, and messages that the server does not return are
 * deleted.
 */
export async function* findDeleted(
  { session, shortLists }: ListContext,
  { id }: { id: string },
  { list, indexed }: { list: UidList; indexed: readonly UidRange[] },
): AsyncGenerator<readonly UidRange[]> {
  const missing = subtractRanges(indexed, list.uids)
  if (!list.isShort) yield missing
  if (!list.isShort || !shortLists.isLasting(id)) return
  for (const piece of nextPieces(missing, shortLists.checkedTo(id))) {
    const returned = await undefinedIf(session.readFlags(piece), 'rejected')
    if (!returned) return
    shortLists.setChecked(id, piece.at(-1)?.[1] ?? 0)
    yield subtractRanges(piece, rangesOf(returned.map(({ uid }) => uid)))
  }
}

/**
 * Divides messages that the list of a mailbox lacks into batches to request: first the UIDs above
 * `checkedTo`, then the UIDs up to `checkedTo`, which were requested before.
 */
function nextPieces(missing: readonly UidRange[], checkedTo: number): UidRange[][] {
  const before = checkedTo > 0 ? intersectRanges(missing, [[1, checkedTo]]) : []
  const after = subtractRanges(missing, before)
  return [...batchesOf(after, pieceSize), ...batchesOf(before, pieceSize)].slice(0, maxPieces)
}
