import { AppError } from '@posthorn/errors'
import type { SyncContext } from '../context.ts'
import { isMailboxRefusal, withSecondConnection } from './second-connection.ts'

/** Runs a SELECT or STATUS of a mailbox. Records if the IMAP connection is lost meanwhile. */
export async function recordLoss<T>(
  { parked, signal }: Pick<SyncContext, 'parked' | 'signal'>,
  path: string,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const isLost = error instanceof AppError && error.kind === 'unreachable'
    if (isLost && !signal.aborted) parked.add(path, Date.now())
    throw error
  }
}

/**
 * True if a mailbox is parked (left out of syncs, because its SELECT or STATUS ended the
 * connection) and stays parked. When its delay has ended, the mailbox is selected over another
 * connection, whose loss affects no sync. If the server allows no other connection, the sync
 * connection is used.
 */
export async function staysParked(context: SyncContext, path: string): Promise<boolean> {
  const { parked } = context
  if (!parked.isParked(path)) return false
  if (!parked.mayTry(path, Date.now())) return true
  let connected = false
  const opened = await withSecondConnection(context, async (session) => {
    connected = true
    try {
      await session.select(path, { readOnly: true })
    } catch (error) {
      if (!isMailboxRefusal(error)) throw error
    }
    return true
  })
  if (!opened) {
    parked.add(path, Date.now())
    if (connected) return true
    context.selection.mailbox = undefined
    await context.session.select(path, { readOnly: true })
  }
  parked.clear(path)
  return false
}

export function parkedError(path: string): AppError {
  return new AppError('unreachable', `The mail server ends the connection when it opens ${path}`)
}
