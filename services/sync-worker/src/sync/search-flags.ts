import type { SelectedMailbox, UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import type { MailboxIndex } from '../index/mailbox-index.ts'
import { subtractRanges } from '../index/ranges.ts'
import type { SyncContext } from './context.ts'

const systemFlags = ['\\Seen', '\\Answered', '\\Flagged', '\\Deleted', '\\Draft']

/**
 * Which messages have which flag, by one search a flag: some short lines for a mailbox of any size. A flag that the server refuses to
 * search for is left out, and so stays as it is known.
 */
export async function searchFlags(
  { session, log }: SyncContext,
  {
    index,
    selected,
    uids,
  }: { index: MailboxIndex; selected: SelectedMailbox; uids: readonly UidRange[] },
): Promise<Map<string, UidRange[]>> {
  const found = new Map<string, UidRange[]>()
  for (const flag of index.remembered([...systemFlags, ...index.flags(), ...selected.flags])) {
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
  if (flag !== '\\Seen') return session.searchUids({ flag })
  return subtractRanges(uids, await session.searchUids({ without: flag }))
}
