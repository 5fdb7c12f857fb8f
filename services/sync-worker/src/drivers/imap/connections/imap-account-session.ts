import { type MailSession, MessageFaults } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import { AppError } from '@posthorn/errors'
import { settleWithin } from '@posthorn/flow'
import type { Config } from '../../../config.ts'
import { type ImapAccount, isImapAccount } from '../../../store/accounts.ts'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import type { DriverContext } from '../../account-driver.ts'
import type { ListContext, SyncDeps } from '../sync/context.ts'
import type { AppliedListChange } from '../sync/mailbox-list/list-plan.ts'
import { changeMailboxList } from '../sync/mailbox-list/mailbox-list.ts'
import { ParkedMailboxes } from '../sync/mailbox-list/parked-mailboxes.ts'
import { OutdatedConnectionError } from '../sync/mailbox-list/second-connection.ts'
import { storeUidValidity } from '../sync/changes/unsynced-mailboxes.ts'
import { followMailboxes } from '../sync/passes/follower.ts'
import { ShortLists } from '../sync/short-lists.ts'
import { isUnfinished } from '../sync/sync-plan.ts'
import { AccountDemand } from './login-gate.ts'
import { CommandPool } from './command-pool.ts'
import type { AccountConnection, Connect } from './connect.ts'
import type { IdleConnections } from './idle-connections.ts'
import { SessionLoans } from './session-loans.ts'

export interface ImapSessionDeps {
  readonly sync: SyncDeps
  readonly connect: Connect
  /** Registry of the idle command connections of all accounts. */
  readonly idleConnections: IdleConnections
  readonly config: Pick<Config, 'commandConnections' | 'commandIdleMs'>
}

/**
 * Grace period for the sync of a stopping account session, before its IMAP connection is closed.
 */
const graceMs = 1_000

/**
 * Maximum consecutive connections that may be lost in search of a faulty message, at which the
 * server drops connections. Further losses count as failures of the account.
 */
const maxNarrowing = 100

/**
 * Period after a rename or deletion of a mailbox in which the server may end connections that have
 * selected the mailbox. Dovecot ends such a connection at its next command.
 */
const ownLossMs = 10_000

/** Part of an account session for IMAP: the sync connection, and the command connections. */
export class ImapAccountSession implements AsyncDisposable {
  readonly commands: CommandPool
  readonly context: DriverContext
  /** Number of messages in each mailbox at its last sync, by mailbox id. */
  readonly messageCounts = new Map<string, number>()
  readonly #deps: ImapSessionDeps
  readonly #parked: ParkedMailboxes
  readonly #shortLists: ShortLists
  readonly #faults = new MessageFaults()
  readonly #demand = new AccountDemand()
  readonly #loans: SessionLoans
  /** Number of consecutive lost connections that helped to find a faulty message. */
  #narrowing = 0
  /** Time of the last rename or deletion of a mailbox. Infinity while the change is in progress. */
  #listChangedAt = 0
  #following: Promise<void> = Promise.resolve()
  #session: MailSession | undefined

  constructor(deps: ImapSessionDeps, context: DriverContext) {
    this.#deps = deps
    const { mailboxPollMs, shortListMs } = deps.sync.config
    // The first retry of a parked mailbox (left out of syncs after lost connections) is delayed by
    // 1 min with the default `mailboxPollMs`.
    this.#parked = new ParkedMailboxes(mailboxPollMs * 5)
    this.#shortLists = new ShortLists({ minDelayMs: mailboxPollMs, lastingMs: shortListMs })
    this.context = context
    this.#loans = new SessionLoans(() => context.sync.wake())
    this.commands = new CommandPool({
      connect: (signal, turns) => this.#connectForCommand(signal, turns),
      borrow: (signal) => this.#loans.borrow(signal),
      narrows: (error) => this.#faults.narrows(error),
      max: deps.config.commandConnections,
      idleMs: deps.config.commandIdleMs,
      idle: deps.idleConnections,
    })
  }

  /**
   * IMAP account of this session. Undefined until its registration is read, and if IMAP must not be
   * used.
   */
  get account(): ImapAccount | undefined {
    const { account } = this.context
    return account && isImapAccount(account) ? account : undefined
  }

  /** Account state that the account session stored last. */
  get state(): AccountState | undefined {
    return this.context.state
  }

  /**
   * Called when a command for the account arrives, so that this session logs in before other
   * sessions.
   */
  ask(): void {
    if (!this.#session) this.#demand.ask()
  }

  /** Requests a sync of the mailboxes that a command changed, by mailbox id. */
  requestSync(mailboxes: Iterable<string>): void {
    this.context.sync.request({ mailboxes })
  }

  /**
   * Requests to select a mailbox (named by id) whose UIDVALIDITY differed on another connection.
   * The counters that the sync connection shows may be outdated: Dovecot 2.3 keeps reporting old
   * counters. A mailbox with incomplete lists is selected again at other times.
   */
  requestReselect(mailbox: string): void {
    if (!this.#shortLists.has(mailbox)) this.context.sync.request({ reselect: mailbox })
  }

  /** Changes the mailbox list over a command connection, then updates the stored list. */
  async changeMailboxes<T>(
    session: MailSession,
    change: () => Promise<{ done: T; applied: AppliedListChange }>,
  ): Promise<T> {
    const context = this.#listContext(session)
    if (!context) throw noServer()
    const { log, sync } = this.context
    const { done, rows } = await changeMailboxList(
      context,
      () => this.#noteChange(change),
      (err) => {
        log.warn({ err }, 'stored mailbox list may be outdated')
        sync.request({ all: true })
      },
    )
    this.requestSync(rows.filter(isUnfinished).map(({ id }) => id))
    return done
  }

  /**
   * Runs a change of the mailbox list and records its time, even if the change fails. The server
   * may end other connections because of a rename or deletion.
   */
  async #noteChange<T>(
    change: () => Promise<{ done: T; applied: AppliedListChange }>,
  ): Promise<{ done: T; applied: AppliedListChange }> {
    const before = this.#listChangedAt
    this.#listChangedAt = Infinity
    let isHarmless = false
    try {
      const result = await change()
      const { deleted, renamed } = result.applied
      isHarmless = deleted === undefined && !renamed
      return result
    } finally {
      this.#listChangedAt = isHarmless ? before : Date.now()
    }
  }

  /**
   * Stores the UIDVALIDITY of a mailbox that is not synced. Returns the row of the mailbox.
   * Undefined if the mailbox is synced, so that the caller has to wait for its next sync.
   */
  async storeUidValidity(
    session: MailSession,
    row: MailboxRow,
    uidValidity: bigint,
  ): Promise<MailboxRow | undefined> {
    const context = this.#listContext(session)
    return context && storeUidValidity(context, row, uidValidity)
  }

  #listContext(session: MailSession): ListContext | undefined {
    const { account } = this
    return account && { deps: this.#deps.sync, account, session, locks: this.context.locks }
  }

  /** Runs one sync connection of the account from login to loss; see `AccountDriver.follow`. */
  follow(signal: AbortSignal): Promise<void> {
    const { account } = this
    this.#following = account ? this.#runConnection(account, signal) : Promise.reject(noServer())
    return this.#following
  }

  /**
   * Ends all commands and the sync of the account. Closes the sync connection after a grace period.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.commands[Symbol.asyncDispose](), this.#end()])
  }

  async #end(): Promise<void> {
    await settleWithin(this.#following, graceMs)
    await this.#session?.[Symbol.asyncDispose]()
  }

  async #runConnection(account: ImapAccount, signal: AbortSignal): Promise<void> {
    const { sync, connect } = this.#deps
    const { context } = this
    try {
      const session = await this.#logIn(account, signal)
      this.#session = session
      this.#demand.clear()
      await context.reportLogin(session.user)
      await using syncing = context.enter('syncing')
      await followMailboxes({
        deps: sync,
        account,
        session,
        lend: (lent) => this.#loans.lend(lent),
        connect: (stop) => connect(account, stop, { faults: this.#faults, loginFor: 'sync' }),
        signal,
        log: context.log,
        sync: context.sync,
        locks: context.locks,
        messageCounts: this.messageCounts,
        parked: this.#parked,
        shortLists: this.#shortLists,
        onSynced: async (refusal) => {
          await syncing[Symbol.asyncDispose]()
          this.#narrowing = 0
          await context.reportSync(refusal)
        },
      })
    } catch (error) {
      if (error instanceof OutdatedConnectionError)
        context.log.info('connection shows outdated mailboxes, replacing it')
      else if (this.#isNarrowing(error, signal)) {
        context.log.info({ err: error }, 'connection lost at a message, searching for the message')
        context.reportProgress()
      } else if (this.#isOwnLoss(error, signal)) {
        context.log.info(
          { err: error },
          'connection lost after a change of mailboxes, replacing it',
        )
        context.reportOwnLoss()
      } else throw error
    } finally {
      await this.#session?.[Symbol.asyncDispose]()
      this.#session = undefined
    }
  }

  /** True if the loss of the sync connection helps to find a faulty message. */
  #isNarrowing(error: unknown, signal: AbortSignal): boolean {
    return !signal.aborted && this.#faults.narrows(error) && ++this.#narrowing <= maxNarrowing
  }

  /**
   * True once after this worker renamed or deleted a mailbox, which may end the sync connection.
   */
  #isOwnLoss(error: unknown, signal: AbortSignal): boolean {
    const isLost = error instanceof AppError && error.kind === 'unreachable'
    if (signal.aborted || !isLost || Date.now() - this.#listChangedAt > ownLossMs) return false
    this.#listChangedAt = 0
    return true
  }

  /**
   * Logs the account in at its IMAP server. The account state is `connecting` during the login.
   * Before the first sync, an account that waits for a login permit keeps the state `init`.
   */
  async #logIn(account: ImapAccount, signal: AbortSignal): Promise<MailSession> {
    const { context } = this
    await using connecting = new AsyncDisposableStack()
    const enter = () => void connecting.use(context.enter('connecting'))
    if (context.wasSynced) enter()
    const onTurn = context.wasSynced ? undefined : enter
    const login = { faults: this.#faults, loginFor: this.#demand, onTurn }
    return await this.#deps.connect(account, signal, login)
  }

  async #connectForCommand(
    signal: AbortSignal,
    turns: Pick<AccountConnection, 'onWait' | 'onTurn'>,
  ): Promise<MailSession> {
    const { account } = this
    if (!account) throw noServer('NotSyncing')
    const login = { faults: this.#faults, loginFor: 'command' as const, ...turns }
    return this.#deps.connect(account, signal, login)
  }
}

function noServer(code?: string): AppError {
  return new AppError('unavailable', 'The account has no mail server', defined({ code }))
}
