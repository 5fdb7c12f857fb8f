import type { UidRange } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { listMessages } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { decodeCursor, encodeCursor } from '@posthorn/message-id'
import { countUids } from '../index/ranges.ts'
import { messageEntry } from '../messages/entry.ts'
import { type CommandDeps, sessionOf, withMailServer } from './account.ts'
import { getMailbox, openToList } from './mailbox.ts'

/** One page of a mailbox as it is on the server now, newest first. */
export function onListMessages(deps: CommandDeps): CommandHandler {
  return on(listMessages, async ({ account, path, page: asked, pageSize, cursor }, context) => {
    const session = sessionOf(deps, account)
    const page = cursor === undefined ? asked : decodeCursor(cursor).page
    return withMailServer(session, context, async (mail) => {
      const row = await getMailbox(deps.db, account, path)
      const { uidValidity, messages } = await openToList(mail, row)
      if (row.uidValidity !== String(uidValidity)) {
        // Ids made now would be void in a moment: the sync has to see the mailbox first.
        session.wake()
        throw new AppError('unavailable', 'The folder is being indexed', {
          code: 'IMAPUnavailable',
          extras: { state: session.state ?? 'init' },
        })
      }
      const uids = messages === 0 ? [] : await mail.searchUids({ all: true })
      const total = countUids(uids)
      const pages = Math.max(Math.ceil(total / pageSize), 1)
      const wanted = newest(uids, { skip: page * pageSize, take: pageSize })
      const fetched = wanted.length === 0 ? [] : await Array.fromAsync(mail.fetchMessages(wanted))
      return {
        total,
        page,
        pages,
        nextPageCursor: page + 1 < pages ? encodeCursor({ page: page + 1 }) : null,
        prevPageCursor: page > 0 ? encodeCursor({ page: Math.min(page - 1, pages - 1) }) : null,
        messages: fetched.reverse().map((message) => messageEntry(message, row)),
      }
    })
  })
}

/** The last UIDs but `skip`, at most `take` of them, ascending. */
export function newest(
  uids: readonly UidRange[],
  { skip, take }: { skip: number; take: number },
): UidRange[] {
  const page: UidRange[] = []
  let skipping = skip
  let room = take
  for (const [first, last] of uids.toReversed()) {
    const to = last - skipping
    skipping = Math.max(skipping - (last - first + 1), 0)
    if (to < first) continue
    const from = Math.max(first, to - room + 1)
    page.unshift([from, to])
    room -= to - from + 1
    if (room === 0) break
  }
  return page
}
