import type { MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import type { MailboxRow } from '../../../../store/mailboxes.ts'
import type { SyncContext } from '../context.ts'

// A connection to Dovecot 2.3 may show outdated mailboxes until the connection ends. With NOTIFY,
// the connection lists deleted mailboxes. With or without NOTIFY, the connection refuses mailboxes
// that were deleted and created again.

/**
 * Runs work over another connection of the account. Resolves to undefined, without information
 * about the mailboxes, if the server allows no other connection, or if the connection is lost.
 */
export async function withSecondConnection<T>(
  { connect, signal, log }: SyncContext,
  work: (session: MailSession) => Promise<T>,
): Promise<T | undefined> {
  try {
    await using session = await connect(signal)
    return await work(session)
  } catch (err) {
    signal.throwIfAborted()
    if (!(err instanceof AppError) || err.kind === 'stale') throw err
    log.warn({ err }, 'mailbox list not confirmed')
    return undefined
  }
}

/**
 * True if an IMAP connection is outdated compared to a newer connection of the account: the
 * connection does not list the mailboxes in `rows`, which the newer connection listed, or refuses a
 * mailbox of `paths` that the newer connection accepts.
 */
export async function isOutdated(
  { session, newer }: { session: MailSession; newer: MailSession },
  rows: readonly MailboxRow[],
  paths: readonly string[],
): Promise<boolean> {
  const current = new Set(rows.filter(({ listed }) => listed).map(({ path }) => path))
  const shown = new Set((await session.listMailboxes()).map(({ path }) => path))
  if (current.size !== shown.size || [...shown].some((path) => !current.has(path))) return true
  for (const path of paths.filter((each) => current.has(each)))
    if ((await isAccepted(newer, path)) && !(await isAccepted(session, path))) return true
  return false
}

/** True if another connection can select a mailbox. A STATUS may succeed where SELECT fails. */
export async function isOpenedByOther(context: SyncContext, path: string): Promise<boolean> {
  const opened = await withSecondConnection(context, async (session) => {
    try {
      await session.select(path, { readOnly: true })
      return true
    } catch (error) {
      if (isMailboxRefusal(error)) return false
      throw error
    }
  })
  return opened ?? false
}

/** True if the server accepts STATUS of a mailbox on an IMAP connection. */
async function isAccepted(session: MailSession, path: string): Promise<boolean> {
  try {
    await session.status(path)
    return true
  } catch (error) {
    if (isMailboxRefusal(error)) return false
    throw error
  }
}

/** True if an error means that the mail server refuses one mailbox, while the connection works. */
export function isMailboxRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false
  return error.kind === 'rejected' || error.kind === 'not-found' || error.code === 'NoUidValidity'
}

/**
 * Error that causes a connection with outdated mailboxes to be replaced. The account stays
 * connected.
 */
export class OutdatedConnectionError extends Error {}
