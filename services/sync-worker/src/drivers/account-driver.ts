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

/** Name of an account command: a command that the worker of an account serves. */
export type AccountCommandName = keyof AccountCommands

/** Request of an account command, as defined by the contract of the command. */
export type AccountRequest<Name extends AccountCommandName> = CommandRequest<AccountCommands[Name]>

/** Reply to an account command. Consists of a response and a stream if the command streams. */
export type AccountReply<Name extends AccountCommandName> = Awaited<
  ReturnType<Parameters<typeof on<AccountCommands[Name]>>[1]>
>

/** Functions that run the account commands. `Args` are the arguments of one kind of driver. */
export type AccountCommandTable<Args extends readonly unknown[]> = {
  readonly [Name in AccountCommandName]: (
    request: AccountRequest<Name>,
    ...args: Args
  ) => Promise<AccountReply<Name>>
}

/** Time limits of an account command. `signal` aborts at `deadline`, in epoch milliseconds. */
export interface CommandLimits {
  readonly signal: AbortSignal
  readonly deadline: number
}

/**
 * Driver of an account: gives access to one account of one kind of mail system. The driver exists
 * as long as the account session, even without a connection.
 *
 * Disposal ends all work of the driver: commands immediately, `follow` after a grace period.
 */
export interface AccountDriver extends AsyncDisposable {
  /**
   * Runs an account command. Rejects a command that needs a connection to the mail server if the
   * account is not connected, with the error of `assertConnected`.
   */
  run<Name extends AccountCommandName>(
    name: Name,
    request: AccountRequest<Name>,
    limits: CommandLimits,
  ): Promise<AccountReply<Name>>
  /**
   * Host or address of the account's mail server, for which the account's next login counts in the
   * login limits. Accounts of a shard move to another worker only as fast as the logins are
   * permitted. Undefined if the account will not log in.
   */
  readonly loginKey: string | undefined
  /**
   * Connects the account, syncs all mailboxes and follows their changes until the connection to the
   * mail server ends. The account session calls `follow` again, with backoff. Resolves if nothing
   * failed, but the connection has to be replaced.
   *
   * @throws the reason of the signal; AppError of the mail system, which `failureOf` turns into the
   *   account status; AppError `stale` after the lease was lost
   */
  follow(signal: AbortSignal): Promise<void>
  /**
   * Ends the watch (registration for notifications) of a deleted account at its mail provider.
   * Called after the disposal of the driver.
   */
  onDeleted?(): Promise<void>
  /** Reads messages for exports. Absent if the mail system has no exports. */
  readonly exports?: ExportDriver
  /**
   * Removes incomplete drafts that an interrupted upload of a message left, found by the Message-ID
   * of the message.
   */
  discardIncompleteDrafts?(messageId: string, limits: CommandLimits): Promise<void>
}

/** Creates the driver of an account. */
export type CreateDriver = (context: DriverContext) => AccountDriver

/** Properties of the account session that the driver uses. */
export interface DriverContext extends AccountAvailability, FollowProgress {
  /**
   * Registered account. Undefined until its registration is read, or if the account must not
   * connect.
   */
  readonly account: Account | undefined
  /** Schedule of the syncs that `follow` runs. Commands and notifications change the schedule. */
  readonly sync: SyncRunner
  /**
   * Locks of the account's mailboxes and of its mailbox list. All connections of the account to its
   * mail server share these locks.
   */
  readonly locks: KeyedMutex
  readonly log: Logger
}

/** Progress reports of `AccountDriver.follow`, which change the account status. */
export interface FollowProgress {
  /** Sets a short-lived account state. The state ends when the returned object is disposed. */
  enter(state: 'connecting' | 'syncing'): AsyncDisposable
  /** Reports a login at the mail server. The event `authenticationSuccess` contains `user`. */
  reportLogin(user: string): Promise<void>
  /** Reports the end of a full sync pass, with the last mailbox that the server refused to sync. */
  reportSync(refusal: MailboxRefusal | undefined): Promise<void>
  /**
   * Reports that the sync made progress over a mail connection that was then lost. The account
   * reconnects soon.
   */
  reportProgress(): void
  /**
   * Reports that the mail connection ended because of a change that this worker made. The account
   * reconnects immediately.
   */
  reportOwnLoss(): void
}

/** Last mailbox of a sync pass that the server refused to sync, and the error. */
export interface MailboxRefusal {
  path: string
  error: AppError
}

/**
 * Reports a `path` in the account's registration that matches no mailbox, like a mailbox that the
 * server refused to sync.
 */
export function unknownPathRefusal(path: string): MailboxRefusal {
  const error = new AppError('not-found', 'The folder does not exist', { code: 'FolderNotFound' })
  return { path, error }
}
