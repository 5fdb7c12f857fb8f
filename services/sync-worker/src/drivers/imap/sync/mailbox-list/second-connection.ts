import type { MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import type { MailboxRow } from '../../../../store/mailboxes.ts'
import type { SyncContext } from '../context.ts'

// Dovecot 2.3 may show outdated mailboxes on a connection for as long as the connection lasts. With
// NOTIFY, such a connection lists deleted mailboxes. With or without NOTIFY, such a connection
// refuses mailboxes that were deleted and created again.

/**
 * Runs work over another connection of the account. Resolves to undefined if the server allows no
 * other connection or the connection is lost, which proves nothing about mailboxes.
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
 * True if a connection still differs from a newer connection of the account. An outdated connection
 * lists other mailboxes than `rows`, the list of the newer connection, or refuses a mailbox of
 * `paths` that the newer connection opens.
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

/** True if another connection opens a mailbox. STATUS may succeed where SELECT fails. */
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

/** True if STATUS of a mailbox succeeds. */
async function isAccepted(session: MailSession, path: string): Promise<boolean> {
  try {
    await session.status(path)
    return true
  } catch (error) {
    if (isMailboxRefusal(error)) return false
    throw error
  }
}

/** True if the error means that the mail server refuses one mailbox, not the connection. */
export function isMailboxRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false
  return error.kind === 'rejected' || error.kind === 'not-found' || error.code === 'NoUidValidity'
}

/** Error that replaces a connection with an outdated mailbox list. The account stays connected. */
export class OutdatedConnectionError extends Error {}
