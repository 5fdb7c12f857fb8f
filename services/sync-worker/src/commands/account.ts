import type { MailSession } from '@posthorn/backends'
import type { AccountState } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import type { WriteRequest, ConnectionRequest } from '../sessions/command-pool.ts'
import type { Registry } from '../sessions/registry.ts'
import type { BounceCache } from './bounce-cache.ts'
import type { MailboxCache } from './mailbox-cache.ts'

/** What command handlers need. */
export interface CommandDeps {
  db: Db
  sessions: Pick<Registry, 'find'>
}

/** What those need that only read. */
export interface ReadDeps extends CommandDeps {
  settings: SettingsCache
  mailboxes: MailboxCache
  bounces: BounceCache
}

/** The account's session on this worker, connected or not. */
export function getSession({ sessions }: CommandDeps, account: string): AccountSession {
  const session = sessions.find(account)
  if (!session)
    throw new AppError('unavailable', 'No worker holds the account', { code: 'WorkerNotAvailable' })
  return session
}

/** Interface spec, "503 codes". An account that was let in and still does its first sync can be asked already. */
export function assertConnected({
  state = 'new',
  loggedIn,
}: Pick<AccountSession, 'state' | 'loggedIn'>): void {
  const reason = unavailableReasons[state]
  if (!reason || (reason.code === 'NotYetConnected' && loggedIn)) return
  throw new AppError('unavailable', reason.message, {
    code: reason.code,
    extras: { state: reason.state },
  })
}

interface UnavailableReason {
  code: string
  state: string
  message: string
}

const notYet: UnavailableReason = {
  code: 'NotYetConnected',
  state: 'init',
  message: 'The account is not connected yet',
}
const paused: UnavailableReason = {
  code: 'NoAvailable',
  state: 'other',
  message: 'The account is disconnected',
}

const unavailableReasons: Partial<Record<AccountState, UnavailableReason>> = {
  new: notYet,
  init: notYet,
  connecting: notYet,
  syncing: notYet,
  disconnected: paused,
  paused,
  unset: { code: 'NotSyncing', state: 'unset', message: 'Syncing of the account is switched off' },
  authenticationError: {
    code: 'AuthenticationFails',
    state: 'authenticationError',
    message: 'The mail server refuses the credentials of the account',
  },
  connectError: {
    code: 'ConnectionError',
    state: 'connectError',
    message: 'The mail server of the account cannot be reached',
  },
}

/** Runs work on a connection of the account that does not sync. */
export async function withMailSession<T>(
  session: AccountSession,
  errand: ConnectionRequest | WriteRequest,
  work: (mail: MailSession) => Promise<T>,
): Promise<T> {
  assertConnected(session)
  try {
    return await session.commands.run(errand, work)
  } catch (error) {
    throw toUnavailable(session, error)
  }
}

/** A connection that cannot be had or was lost says "try again shortly", whatever the reason. */
export function toUnavailable(
  { state = 'new' }: Pick<AccountSession, 'state'>,
  error: unknown,
): unknown {
  if (
    !(error instanceof AppError) ||
    (error.kind !== 'unreachable' && error.kind !== 'unauthorized')
  )
    return error
  return new AppError('unavailable', 'The connection to the mail server is not up right now', {
    code: 'IMAPUnavailable',
    extras: { state },
    cause: error,
  })
}
