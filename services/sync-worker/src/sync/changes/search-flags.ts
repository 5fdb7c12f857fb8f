import type { SelectedMailbox, UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { isLabelEntry } from '../../index/labels.ts'
import { canonicalFlag, type MailboxIndex } from '../../index/mailbox-index.ts'
import { subtractRanges } from '../../index/ranges.ts'
import type { SyncContext } from '../context.ts'
import { listedLabels, searchLabel } from './labels.ts'

const systemFlags = ['\\Seen', '\\Answered', '\\Flagged', '\\Deleted', '\\Draft']

/**
 * Which messages have which flag, and at Gmail which label, by one search each: some short lines for a mailbox of any size. What the server
 * refuses to search for is left out, and so stays as it is known.
 */
export async function searchFlags(
  context: SyncContext,
  {
    index,
    selected,
    uids,
  }: { index: MailboxIndex; selected: SelectedMailbox; uids: readonly UidRange[] },
): Promise<Map<string, UidRange[]>> {
  const { session, log, signal } = context
  const found = new Map<string, UidRange[]>()
  const labels = session.capabilities.gmail ? await listedLabels(context, selected.path) : []
  const inUse = selected.flags.flatMap((flag) => canonicalFlag(flag) ?? [])
  for (const flag of index.trackedNames([...systemFlags, ...index.flags(), ...inUse, ...labels])) {
    signal.throwIfAborted()
    try {
      found.set(flag, await searchFlag(session, flag, uids))
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'rejected') throw error
      log.debug({ err: error, flag, path: selected.path }, 'the server does not search for a flag')
    }
  }
  return found
}

/** Most messages are seen: those that are not make the shorter answer. */
async function searchFlag(
  session: SyncContext['session'],
  flag: string,
  uids: readonly UidRange[],
): Promise<UidRange[]> {
  if (isLabelEntry(flag)) return searchLabel(session, flag)
  if (flag !== '\\Seen') return session.searchUids({ flag })
  return subtractRanges(uids, await session.searchUids({ without: flag }))
}
