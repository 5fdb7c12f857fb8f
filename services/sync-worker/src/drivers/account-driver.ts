import type { on } from '@posthorn/bus'
import type { accountCommands } from '@posthorn/contracts/commands'
import type { CommandRequest } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import type { KeyedMutex } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Account } from '../store/accounts.ts'
import type { AccountAvailability } from './availability.ts'
import type { ExportDriver } from './export-driver.ts'
import type { SyncRunner } from './sync-runner.ts'

type AccountCommands = typeof accountCommands

/** Name of a command that the worker of an account serves. */
export type AccountCommandName = keyof AccountCommands

/** Request of an account command, as defined by the contract of the command. */
export type AccountRequest<Name extends AccountCommandName> = CommandRequest<AccountCommands[Name]>

/** Response of an account command; response and stream, if the command streams. */
export type AccountReply<Name extends AccountCommandName> = Awaited<
  ReturnType<Parameters<typeof on<AccountCommands[Name]>>[1]>
>

/** Functions that run the account commands, with the arguments that the kind of driver needs. */
export type AccountCommandTable<Args extends readonly unknown[]> = {
  readonly [Name in AccountCommandName]: (
    request: AccountRequest<Name>,
    ...args: Args
  ) => Promise<AccountReply<Name>>
}

/** Limits of a command. `signal` aborts at `deadline`, in epoch milliseconds. */
export interface CommandLimits {
  readonly signal: AbortSignal
  readonly deadline: number
}

/**
 * Driver of an account: access to one account through one kind of mail system. The driver exists as
 * long as the account session, connected or not.
 *
 * Disposal ends all work: commands immediately, `follow` after a grace period.
 */
export interface AccountDriver extends AsyncDisposable {
  /** Runs an account command. Commands that need a connection fail as `assertConnected` does. */
  run<Name extends AccountCommandName>(
    name: Name,
    request: AccountRequest<Name>,
    limits: CommandLimits,
  ): Promise<AccountReply<Name>>
  /**
   * Key under which the next login counts against the login limits of the account's server. The
   * accounts of a shard are transferred at the pace of logins. Undefined if the account will not
   * log in.
   */
  readonly loginKey: string | undefined
  /**
   * Connects, syncs all mailboxes and follows their changes until the connection ends. The account
   * session calls `follow` again, with backoff. Resolves if the connection has to be replaced
   * although nothing failed.
   *
   * @throws the reason of the signal; AppError of the mail system, which `failureOf` turns into the
   *   account status; AppError `stale` after the lease was lost
   */
  follow(signal: AbortSignal): Promise<void>
  /**
   * Ends the watch of a deleted account at its mail provider. Called after the account's driver was
   * disposed of.
   */
  onDeleted?(): Promise<void>
  /** Reads messages for exports. Absent if the mail system has no exports. */
  readonly exports?: ExportDriver
  /** Removes drafts that an upload of a message with this Message-ID left incomplete. */
  discardIncompleteDrafts?(messageId: string, limits: CommandLimits): Promise<void>
}

/** Creates the driver of an account. */
export type CreateDriver = (context: DriverContext) => AccountDriver

/** Account session, in the form that the driver uses. */
export interface DriverContext extends AccountAvailability, FollowProgress {
  /** Account. Undefined until its registration is read, and while it must not connect. */
  readonly account: Account | undefined
  /** Schedule of the syncs of `follow`, which commands and notifications bring forward. */
  readonly sync: SyncRunner
  /** Locks of the account, shared by all connections of the account. */
  readonly locks: KeyedMutex
  readonly log: Logger
}

/** Progress reports of `AccountDriver.follow`, which become the account status and events. */
export interface FollowProgress {
  /** Enters an account state that usually passes quickly. Disposal ends the state. */
  enter(state: 'connecting' | 'syncing'): AsyncDisposable
  /** Reports a login at the mail server. `user` becomes part of `authenticationSuccess`. */
  reportLogin(user: string): Promise<void>
  /** Reports a full sync pass, with the last mailbox that the server refused. */
  reportSync(refusal: MailboxRefusal | undefined): Promise<void>
  /**
   * Reports that a lost connection brought the sync forward, so that the next connection follows
   * soon.
   */
  reportProgress(): void
  /**
   * Reports that a change which this worker made ended the connection, so that the next connection
   * follows immediately.
   */
  reportOwnLoss(): void
}

/** The last mailbox of a sync pass that the server refused, and the error of the refusal. */
export interface MailboxRefusal {
  path: string
  error: AppError
}

/** Report of a `path` of the account that matches no mailbox: nothing is synced for such a path. */
export function unknownPathRefusal(path: string): MailboxRefusal {
  const error = new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
  return { path, error }
}
