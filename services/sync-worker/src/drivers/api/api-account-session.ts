import type { CreateMailApi, MailApi, MailApiAccess, MailApiUse } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import { settleWithin } from '@posthorn/flow'
import type { Transcripts } from '../../logs/transcripts.ts'
import type { Account } from '../../store/accounts.ts'
import type { WatchHandle } from '../../watches/account-watch.ts'
import type { DriverContext } from '../account-driver.ts'
import { assertConnected, toUnavailable } from '../availability.ts'
import type { CredentialsClient } from '../credentials.ts'
import { AccountLogins } from './account-logins.ts'
import { RoundLosses } from './feeds/round-losses.ts'
import { ParkedFeeds } from './feeds/parked-feeds.ts'
import { type FollowDeps, followFeeds } from './follow-feeds.ts'
import { toSessionError } from './session-error.ts'

export interface ApiSessionDeps extends FollowDeps {
  readonly createMailApi: CreateMailApi
  readonly credentials: CredentialsClient
  readonly transcripts: Pick<Transcripts, 'forConnection'>
}

/** Grace period in which a running sync pass may end after the account session was stopped. */
const graceMs = 1_000
/**
 * Priority and maximum wait of a mail API client for background work, for which no caller waits.
 */
const backgroundUse = { priority: 'initial-sync', maxWaitMs: 10_000 } as const
/** Timeout for stopping the watch (registration for notifications) of a deleted account. */
const stopTimeoutMs = 10_000

/** Part of an account session for mail APIs: logins and clients of the account's mail API. */
export class ApiAccountSession implements AsyncDisposable {
  readonly context: DriverContext
  /** Watch (registration for notifications) of the last `follow`; see `NotifiedAccount.watch`. */
  watch: WatchHandle | undefined
  /** Folders of the account that the provider refuses to read; see `FollowedAccount.parked`. */
  readonly parked = new ParkedFeeds(() => new Date())
  /** Records of mailbox listings that lacked messages; see `FollowedAccount.losses`. */
  readonly losses = new RoundLosses(() => new Date())
  readonly #deps: ApiSessionDeps
  readonly #closed = new AbortController()
  #logins: AccountLogins | undefined
  #following: Promise<void> = Promise.resolve()

  constructor(deps: ApiSessionDeps, context: DriverContext) {
    this.#deps = deps
    this.context = context
  }

  get account(): Account | undefined {
    return this.context.account
  }

  /**
   * Requests a sync pass before the next poll is due. The pass reads the folders of `messages`,
   * which a command changed. Without `messages`, the pass reads all feeds (lists of changes).
   */
  requestPass(messages?: readonly string[]): void {
    const named = messages?.map((id) => ({ id }))
    this.context.sync.request(named ? { messages: named } : { all: true })
  }

  /**
   * Requests a sync pass over all feeds (lists of changes), including folders that the provider
   * refused before.
   */
  requestSync(): void {
    this.parked.endDelays()
    this.requestPass()
  }

  /**
   * Runs a command with a separate client of the mail API. The client stops at `deadline` (epoch
   * milliseconds).
   *
   * @throws AppError: see `assertConnected` and `toUnavailable`
   */
  async run<T>(
    { signal, deadline }: { signal: AbortSignal; deadline: number },
    work: (api: MailApi, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    assertConnected(this.context)
    const ended = AbortSignal.any([signal, this.#closed.signal])
    try {
      const timeoutMs = Math.max(0, deadline - Date.now())
      return await work(await this.open({ priority: 'caller', timeoutMs }, ended), ended)
    } catch (error) {
      throw toUnavailable(this.context, error)
    }
  }

  /**
   * Creates a mail API client for work without a waiting caller. The client's requests come after
   * all other requests. A request that would wait for longer than 10 s fails as rate-limited, so
   * that other work has its turn.
   *
   * @throws AppError: see `assertConnected`
   */
  async openInBackground(signal: AbortSignal): Promise<{ api: MailApi; signal: AbortSignal }> {
    assertConnected(this.context)
    const ended = AbortSignal.any([signal, this.#closed.signal])
    return { api: await this.open(backgroundUse, ended), signal: ended }
  }

  /**
   * Creates a client of the account's mail API. If the protocol log of the account is enabled at
   * this time, the requests of the client are logged.
   *
   * @throws AppError if there are no credentials
   */
  async open(use: MailApiUse, signal: AbortSignal): Promise<MailApi> {
    const { createMailApi, commit, transcripts } = this.#deps
    const access = await this.#loadAccess(signal)
    const { logs: all } = await commit.settings.get()
    if (!this.account?.logs && !all?.all) return createMailApi(access, use)
    const openLog = () => transcripts.forConnection(access.account)
    return createMailApi(access, { ...use, openLog })
  }

  /** Id of the OAuth2 application of the account's grant; see `NotifiedAccount.application`. */
  async application(signal: AbortSignal): Promise<string> {
    const { application } = await this.#loadAccess(signal)
    return application
  }

  async #loadAccess(signal: AbortSignal): Promise<MailApiAccess> {
    const { account } = this
    if (!account)
      throw new AppError('unavailable', 'The account has no mail server', { code: 'NotSyncing' })
    const { credentials, provider } = this.#deps
    this.#logins ??= new AccountLogins({ account: account.account, credentials, provider })
    return this.#logins.open(signal)
  }

  /** Follows the account's changes at its mail API until a failure; see `AccountDriver.follow`. */
  follow(signal: AbortSignal): Promise<void> {
    this.#following = followFeeds(this.#deps, this, signal).catch((error: unknown) => {
      throw toSessionError(error)
    })
    return this.#following
  }

  /**
   * Stops the watch of a deleted account at its mail provider. Uses the cached login, because
   * auth-bridge has no login of the account any more. If this fails, the watch expires within days,
   * and its notifications are ignored.
   */
  async stopWatch(): Promise<void> {
    const { remoteId } = this.watch ?? {}
    if (remoteId === undefined) return
    const signal = AbortSignal.timeout(stopTimeoutMs)
    const api = await this.open({ priority: 'caller', timeoutMs: stopTimeoutMs }, signal)
    await api.stopWatch(remoteId, signal)
  }

  /** Ends the commands of the account session, then ends the running sync pass. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(
      new AppError('unavailable', 'The worker released the account, retry', {
        code: 'WorkerNotAvailable',
      }),
    )
    await settleWithin(this.#following, graceMs)
    this.watch?.[Symbol.dispose]()
    this.#logins?.[Symbol.dispose]()
  }
}
