import type { SelectedMailbox, UidRange } from '@posthorn/backends'
import { countUids, normaliseRanges, subtractRanges } from '../../index/ranges.ts'
import type { SyncContext } from '../context.ts'

/** Maximum messages that are requested because a short list lacks them. */
const maxRequests = 500

/** List of the UIDs in the selected mailbox. */
export interface UidList {
  readonly uids: readonly UidRange[]
  /** Number of messages that the server counts and does not list. */
  readonly gap: number
  /** True if two lists had the same number of messages. */
  readonly isRepeated: boolean
}

/**
 * Lists the UIDs of the selected mailbox. A list with fewer messages than the server counts
 * (EXISTS) is repeated after another SELECT, because messages may have been deleted in between.
 */
export async function listUids(
  { session }: Pick<SyncContext, 'session'>,
  { path, messages, uidValidity }: SelectedMailbox,
): Promise<UidList> {
  const search = async (expected: number) =>
    expected === 0 ? [] : session.searchUids({ all: true })
  const first = await search(messages)
  if (countUids(first) >= messages) return { uids: first, gap: 0, isRepeated: false }
  const again = await session.select(path, { readOnly: true })
  const uids = await search(again.messages)
  const listed = countUids(uids)
  const isSame = again.uidValidity === uidValidity
  const gap = Math.max(0, again.messages - listed)
  return { uids, gap: isSame ? gap : Math.max(gap, 1), isRepeated: listed === countUids(first) }
}

/**
 * True if a list is complete enough to fill the index of a mailbox. Servers may count messages that
 * they never list: two equal lists are accepted, except for empty ones.
 */
export function isSufficient({ uids, gap, isRepeated }: UidList): boolean {
  return gap === 0 || (isRepeated && uids.length > 0)
}

/** Counts and logs a list of the mailbox that is shorter than the server's number of messages. */
export function reportShortList(
  { deps, log, shortLists }: Pick<SyncContext, 'deps' | 'log' | 'shortLists'>,
  { id, path }: { id: string; path: string },
  { uids, gap }: UidList,
): { isNew: boolean } {
  deps.metrics.listIncomplete()
  const isNew = shortLists.add(id, gap)
  const listed = countUids(uids)
  if (isNew)
    log.warn({ path, listed, total: listed + gap }, 'mail server lists fewer messages than it has')
  return { isNew }
}

/**
 * Selects the indexed messages whose deletion a list proves. A list as long as the server's number
 * of messages proves the deletion of all that it lacks. Another list proves nothing at first. If
 * the server counts the same number of unlisted messages for 10 minutes, up to 500 messages that
 * the list lacks are requested: they are deleted if the server does not return them.
 */
export async function findDeleted(
  { session, shortLists }: Pick<SyncContext, 'session' | 'shortLists'>,
  { id }: { id: string },
  { list, indexed }: { list: UidList; indexed: readonly UidRange[] },
): Promise<UidRange[]> {
  const missing = subtractRanges(indexed, list.uids)
  if (list.gap === 0) return missing
  const isAsked = list.uids.length > 0 && shortLists.isLasting(id, list.gap)
  const count = countUids(missing)
  if (!isAsked || count === 0 || count > maxRequests) return []
  const returned: UidRange[] = []
  for await (const { uid } of session.fetchMessages(missing)) returned.push([uid, uid])
  return subtractRanges(missing, normaliseRanges(returned))
}
