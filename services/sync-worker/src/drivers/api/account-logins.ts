import { isDeepStrictEqual } from 'node:util'
import type {
  GraphCloud,
  LoginOptions,
  MailApiAccess,
  MailApiLogin,
} from '@posthorn/backends/mail-api'
import type { Provider } from '@posthorn/backends/provider-limits'
import { type Credentials, endOfUse } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { abortable, SingleFlight } from '@posthorn/flow'
import type { CredentialsClient } from '../credentials.ts'

/** Cached login of an account at its mail API, with the OAuth2 application that limits requests. */
interface CachedLogin extends MailApiLogin {
  application: string
  cloud?: GraphCloud
  /**
   * Time at which the login was requested from auth-bridge, and expiry time of the login, in epoch
   * milliseconds.
   */
  requestedAt: number
  expiresAt: number
  /** True if the login was requested because the provider rejected the previous access token. */
  isFresh: boolean
}

/** Period for which an access token is used if the provider did not report its expiry. */
const unknownExpiryMs = 60_000
/**
 * Minimum age of a rejected access token before another token is requested. A younger token may
 * have been rejected in a request that still used the previous token.
 */
const freshMs = 5_000

interface LoginsOptions {
  provider: Provider
  account: string
  credentials: Pick<CredentialsClient, 'request'>
  now?: () => number
}

/**
 * Cache of the login of one account at its mail API. An access token stays in memory until shortly
 * before its expiry. Concurrent callers share one request to auth-bridge.
 */
export class AccountLogins implements Disposable {
  readonly #options: LoginsOptions
  readonly #now: () => number
  readonly #flights = new SingleFlight<boolean, CachedLogin>()
  readonly #stop = new AbortController()
  #cached: CachedLogin | undefined
  #access: MailApiAccess | undefined

  constructor(options: LoginsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /**
   * Returns the access to the mail API that the clients of the account use. Returns the same object
   * as long as the account's OAuth2 application does not change.
   *
   * @throws AppError of the account: see `CredentialsClient`
   */
  async open(signal: AbortSignal): Promise<MailApiAccess> {
    const { provider, account } = this.#options
    const { application, cloud } = await this.#get({ fresh: false, signal })
    const identity = defined({ provider, account, application, cloud })
    const { login: _login, ...current } = this.#access ?? {}
    if (this.#access && isDeepStrictEqual(current, identity)) return this.#access
    this.#access = { ...identity, login: (options) => this.#logIn(options) }
    return this.#access
  }

  /** Cancels the requests for logins of this account that are in progress. */
  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  async #logIn(options: LoginOptions): Promise<MailApiLogin> {
    const { user, accessToken, own } = await this.#get(options)
    return defined({ user, accessToken, own })
  }

  #get({ fresh, signal }: LoginOptions): Promise<CachedLogin> {
    const cached = this.#cached
    const age = cached ? this.#now() - cached.requestedAt : Infinity
    const isUsable = cached !== undefined && this.#now() < cached.expiresAt
    if (isUsable && (!fresh || (cached.isFresh && age < freshMs))) return Promise.resolve(cached)
    return abortable(
      this.#flights.run(fresh, () => this.#request(fresh)),
      signal,
    )
  }

  async #request(fresh: boolean): Promise<CachedLogin> {
    const { account, credentials } = this.#options
    const { signal } = this.#stop
    const requestedAt = this.#now()
    const options = { protocol: 'api' as const, signal, ...(fresh && { fresh }) }
    const login = toLogin(await credentials.request({ account }, options), requestedAt)
    const cached = { ...login, isFresh: fresh }
    // Login requests may end in another order than they started. An older request must not replace
    // a token of a newer request.
    if (requestedAt >= (this.#cached?.requestedAt ?? 0)) this.#cached = cached
    return cached
  }
}

/**
 * Converts credentials to the login at a mail API.
 *
 * @throws AppError `unauthorized` for a password, because no mail API accepts passwords
 */
function toLogin(credentials: Credentials, requestedAt: number): Omit<CachedLogin, 'isFresh'> {
  if (!('accessToken' in credentials))
    throw new AppError('unauthorized', 'The authentication server returned no access token')
  const { user, accessToken, own, application = '', cloud, expires } = credentials
  const expiresAt =
    expires === undefined ? requestedAt + unknownExpiryMs : endOfUse(expires, requestedAt)
  return defined({ user, accessToken, own, application, cloud, requestedAt, expiresAt })
}
