import { AppError } from '@posthorn/errors'
import type { SyncContext } from '../context.ts'
import { isMailboxRefusal, withSecondConnection } from './second-connection.ts'

/** Opens a mailbox (SELECT or STATUS). Records a loss of the connection at the opening. */
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
 * True if a parked mailbox (opening the mailbox ended the connection) stays parked. After its
 * delay, the mailbox is opened over another connection, whose loss affects no sync. If the server
 * allows no other connection, the mailbox is opened over the connection that syncs.
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
