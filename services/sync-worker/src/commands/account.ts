import type { MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import type { AccountState, Command, CommandRequest } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import type { ConnectionRequest, WriteRequest } from '../sessions/command-pool.ts'
import type { Registry } from '../sessions/registry.ts'

/** Dependencies of command handlers. */
export interface CommandDeps {
  db: Db
  sessions: Pick<Registry, 'find'>
}

/** Account that a command is about, with its session on this worker. */
export interface AccountCommand {
  account: string
  session: AccountSession
  signal: AbortSignal
}

type HandlerOf<C extends Command> = Parameters<typeof on<C>>[1]

/** Handler of a command that needs a connected account; fails as `assertConnected` does. */
export function onAccount<C extends Command>(
  deps: CommandDeps,
  command: C,
  handle: (request: CommandRequest<C>, target: AccountCommand) => ReturnType<HandlerOf<C>>,
): CommandHandler {
  return on<C>(command, (async (request: CommandRequest<C> & { account: string }, { signal }) => {
    const { account } = request
    const session = getSession(deps, account)
    assertConnected(session)
    return handle(request, { account, session, signal })
  }) as HandlerOf<C>)
}

/**
 * Session of an account on this worker, connected or not.
 *
 * @throws AppError `unavailable` `WorkerNotAvailable`
 */
export function getSession({ sessions }: CommandDeps, account: string): AccountSession {
  const session = sessions.find(account)
  if (!session)
    throw new AppError('unavailable', 'No worker holds the account', { code: 'WorkerNotAvailable' })
  return session
}

/**
 * Rejects commands for accounts without a connection. Accounts in their initial sync accept
 * commands. So do accounts that have synced and connect again: the command connects as well.
 *
 * @throws AppError `unavailable` with a code of the interface spec, "503 codes"; `internal`
 *   `AppNotFound` or `InvalidBaseScopes` if the OAuth2 application of the account cannot be used
 */
export function assertConnected({
  state = 'new',
  loggedIn,
  wasSynced,
  lastError,
}: Pick<AccountSession, 'state' | 'loggedIn' | 'wasSynced' | 'lastError'>): void {
  const { serverResponseCode: code = '', response = '' } = lastError ?? {}
  if (state === 'connectError' && applicationErrors.has(code))
    throw new AppError('internal', response, { code })
  const reason = unavailableReasons[state]
  if (!reason || (reason === connecting && (loggedIn || (wasSynced && state !== 'init')))) return
  throw new AppError('unavailable', reason.message, {
    code: reason.code,
    extras: { state: reason.state },
  })
}

/** Codes of an account whose OAuth2 application was deleted, disabled or changed. */
export const applicationErrors: ReadonlySet<string> = new Set(['AppNotFound', 'InvalidBaseScopes'])

interface UnavailableReason {
  code: string
  state: string
  message: string
}

const connecting: UnavailableReason = {
  code: 'NotYetConnected',
  state: 'init',
  message: 'The account is not connected yet',
}
const disconnected: UnavailableReason = {
  code: 'NoAvailable',
  state: 'other',
  message: 'The account is disconnected',
}

const unavailableReasons: Partial<Record<AccountState, UnavailableReason>> = {
  new: connecting,
  init: connecting,
  connecting,
  syncing: connecting,
  disconnected,
  paused: { ...disconnected, message: 'The account is paused' },
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

/** Runs work on a connection of the account's command pool, never on the one that syncs. */
export async function withMailSession<T>(
  { session, signal }: Pick<AccountCommand, 'session' | 'signal'>,
  options: Omit<ConnectionRequest, 'signal'> | Omit<WriteRequest, 'signal'>,
  work: (mail: MailSession) => Promise<T>,
): Promise<T> {
  assertConnected(session)
  try {
    return await session.commands.run({ signal, ...options }, work)
  } catch (error) {
    throw toUnavailable(session, error)
  }
}

/** Turns a failed or lost connection into a temporary error; returns other errors unchanged. */
export function toUnavailable(
  { state = 'new' }: Pick<AccountSession, 'state'>,
  error: unknown,
): unknown {
  if (
    !(error instanceof AppError) ||
    (error.kind !== 'unreachable' && error.kind !== 'unauthorized')
  )
    return error
  return new AppError('unavailable', 'The connection to the mail server failed, retry', {
    code: 'IMAPUnavailable',
    extras: { state },
    cause: error,
  })
}
