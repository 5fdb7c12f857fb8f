import { AppError } from '@posthorn/errors'
import type { MailboxRow } from '../../store/mailboxes.ts'
import type { ListContext } from '../context.ts'
import { refreshMailboxList, listLockKey, type AppliedListChange } from './mailbox-list.ts'

/**
 * Changes the list of mailboxes on the server, and then what is stored of it: nobody lists them in between, to whom a mailbox under a new
 * name would be another one. A mailbox that was made gets its event with its first sync as well.
 */
export function changeMailboxList<T>(
  context: ListContext,
  change: () => Promise<{ done: T; applied: AppliedListChange }>,
  trouble: (error: unknown) => void,
): Promise<{ done: T; rows: MailboxRow[] }> {
  return context.locks.run(listLockKey, async () => {
    const { done, applied: told } = await change().catch((error: unknown) => {
      // Nobody knows how far it got.
      if (!isRefusal(error)) trouble(error)
      throw error
    })
    try {
      const { rows } = await refreshMailboxList(context, { status: false, told })
      return { done, rows }
    } catch (error) {
      // It is done, and the next round finds out as well.
      trouble(error)
      return { done, rows: [] }
    }
  })
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && ['rejected', 'invalid', 'not-found'].includes(error.kind)
}
