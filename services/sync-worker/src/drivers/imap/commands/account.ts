import type { MailSession } from '@posthorn/backends'
import type { Db } from '@posthorn/db'
import { assertConnected, toUnavailable } from '../../availability.ts'
import type { ConnectionRequest, WriteRequest } from '../connections/connection-request.ts'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'

/** Dependencies that all commands to IMAP accounts need. */
export interface CommandDeps {
  db: Db
}

/** Account to which a command belongs, with the session of the account on this worker. */
export interface AccountCommand {
  account: string
  session: ImapAccountSession
  signal: AbortSignal
}

/**
 * Runs work on a connection from the account's command pool. With `mayBorrow`, the work may run on
 * the account's sync connection while the login limits delay the first connection of the pool.
 */
export async function withMailSession<T>(
  { session, signal }: Pick<AccountCommand, 'session' | 'signal'>,
  options: Omit<ConnectionRequest, 'signal'> | Omit<WriteRequest, 'signal'>,
  work: (mail: MailSession) => Promise<T>,
): Promise<T> {
  assertConnected(session.context)
  try {
    return await session.commands.run({ signal, ...options }, work)
  } catch (error) {
    throw toUnavailable(session, error)
  }
}
