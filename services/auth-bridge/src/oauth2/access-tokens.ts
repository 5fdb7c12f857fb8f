import { randomUUID } from 'node:crypto'
import { oauth2ProviderTraits } from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { SingleFlight, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { passwordSealContext } from '../store/credentials.ts'
import { findGrantTokens, type GrantTokens, type RefreshFailure } from '../store/oauth2-grants.ts'
import { markRefreshFailed, storeTokens, tokensSealContext } from '../store/oauth2-tokens.ts'
import {
  claimRefresh,
  extendRefresh,
  type RefreshLease,
  releaseRefresh,
} from '../store/refresh-leases.ts'
import { type Application, loadGrantApplication } from './application.ts'
import { tokenBindingOf } from '../bound-secrets.ts'
import { parseGrant, type ResolvedGrant, type StoredGrant } from './grant.ts'
import { isJustRenewed, mayRetry } from './retry-policy.ts'
import { unlessUnconfirmed, errorOf, lastErrorOf, unreachableCode } from './token-failure.ts'
import { type Grant, type OAuth2Deps, requestToken } from './token-endpoint.ts'

export interface AccessToken {
  accessToken: string
  /** Expiry of the access token in epoch milliseconds; absent if the provider did not report it. */
  expires?: number
  scopes: string[]
  /** True if the access token was read from Postgres, not requested from the provider just now. */
  cached: boolean
}

export interface TokenDeps extends OAuth2Deps {
  log: Logger
  /** Signal that aborts token renewals when auth-bridge stops. */
  signal: AbortSignal
}

/** Access tokens are renewed this long before their expiry, or after half of a short life. */
const marginMs = 300_000
/** Minimum remaining life of an access token that may still be used if its renewal failed. */
const minLeftMs = 30_000
/** Duration of the lease for renewing an access token. A token request takes less time. */
const leaseMs = 20_000
/** Maximum wait of a caller for an access token. Not shorter than the timeout of any requester. */
const maxWaitMs = 12_000
const pollMs = 150
/** Interval at which storing a new access token is retried while Postgres is unavailable. */
const storeRetryMs = 500

/**
 * Provider access tokens of accounts. Only one replica at a time renews the tokens of an account,
 * because a refresh token may be usable only once. New tokens are stored before any caller gets
 * them. After a failed renewal, all replicas wait until `mayRetry` permits the next renewal.
 */
export class AccessTokens {
  readonly #deps: TokenDeps
  readonly #flights = new SingleFlight<string, AccessToken>()

  constructor(deps: TokenDeps) {
    this.#deps = deps
  }

  /**
   * Returns a valid access token of an account. `fresh`: the mail server rejected the stored token,
   * so the token is renewed, unless the provider has just issued it. `insist`: the provider is
   * called even after a recent failure.
   *
   * @throws AppError `rejected` if the provider issues no token, `unreachable` if it does not
   * respond, `internal` if the application does not exist or has other base scopes
   */
  get(resolved: ResolvedGrant, { fresh = false, insist = false } = {}): Promise<AccessToken> {
    const { holder, app, owner, baseScopes } = resolved
    const key = JSON.stringify([holder, app, owner, baseScopes, fresh, insist])
    return this.#flights.run(key, () => this.#obtain(resolved, { fresh, insist }))
  }

  async #obtain(
    resolved: ResolvedGrant,
    { fresh, insist }: { fresh: boolean; insist: boolean },
  ): Promise<AccessToken> {
    const { db, signal } = this.#deps
    const app = await loadGrantApplication(this.#deps, resolved)
    const { holder: account } = resolved
    const rejected = fresh ? await this.#rejectedVersion(account, insist) : undefined
    const lease = { account, holder: randomUUID() }
    const deadline = Date.now() + maxWaitMs
    const subject = subjectOf(app, resolved)
    let usable: AccessToken | undefined
    while (!signal.aborted && Date.now() < deadline) {
      const tokens = await findGrantTokens(db, account)
      const stored = await this.#unseal(app, resolved, tokens)
      const leftMs = versionOf(tokens) === rejected ? 0 : this.#leftMs(stored, subject)
      if (leftMs >= marginOf(stored, marginMs)) return toAccessToken(stored, true)
      usable = leftMs >= marginOf(stored, minLeftMs) ? toAccessToken(stored, true) : undefined
      try {
        const renewed = await this.#renewWithLease(lease, { app, resolved, tokens, stored, insist })
        if (renewed) return renewed
      } catch (error) {
        if (!usable) throw error
        return usable
      }
    }
    if (usable) return usable
    throw new AppError('unreachable', 'The access token is being renewed by another process', {
      code: unreachableCode,
    })
  }

  /** Version of an account's tokens that the mail server rejected; not to be returned again. */
  async #rejectedVersion(account: string, insist: boolean): Promise<string | undefined> {
    const tokens = await findGrantTokens(this.#deps.db, account)
    return !insist && isJustRenewed(tokens) ? undefined : versionOf(tokens)
  }

  /**
   * Renews an access token while holding the account's lease for renewals. Undefined if another
   * replica has the lease or has renewed the tokens; the caller then reads the tokens again.
   *
   * @throws AppError of the renewal, or of the previous renewal if the provider must not be called
   * again yet
   */
  async #renewWithLease(lease: RefreshLease, renewal: Renewal): Promise<AccessToken | undefined> {
    const { db, signal } = this.#deps
    const { tokens, insist } = renewal
    const failure = insist ? undefined : recentFailure(tokens)
    if (failure) throw errorOf(failure.error)
    const { grantUpdatedAt } = tokens
    if (!(await claimRefresh(db, lease, { grantUpdatedAt, leaseMs }))) {
      await sleep(pollMs, signal)
      return undefined
    }
    try {
      // Reads OAuth2 tokens again: another replica may have renewed them under an earlier lease.
      const current = await findGrantTokens(db, lease.account)
      if (versionOf(current) !== versionOf(tokens) || (!insist && recentFailure(current)))
        return undefined
      return await this.#renew(lease, renewal)
    } finally {
      await releaseRefresh(db, lease).catch(() => undefined)
    }
  }

  /**
   * Requests a new access token and stores it. Undefined if the lease for renewing the tokens was
   * lost, or if newer tokens were stored meanwhile.
   */
  async #renew(
    lease: RefreshLease,
    { app, resolved, tokens, stored }: Renewal,
  ): Promise<AccessToken | undefined> {
    const { db } = this.#deps
    const { holder } = resolved
    let isLost = false
    // Extends the lease for the renewal, because finding the endpoints may have taken long.
    const beforeRequest = async () => {
      isLost = !(await extendRefresh(db, lease, leaseMs))
      if (isLost) throw new Error('the lease of the renewal has expired')
    }
    try {
      const grant = grantOf(app, resolved, stored)
      const response = await requestToken({ ...this.#deps, beforeRequest }, app, grant)
      const { accessToken, refreshToken = stored.refreshToken, expires, lifetimeMs } = response
      const renewed: StoredGrant = {
        accessToken,
        scopes: response.scopes ?? stored.scopes ?? [...app.profile.scopes],
        subject: subjectOf(app, resolved),
        ...defined({ refreshToken, expires, lifetimeMs }),
      }
      return (await this.#store({ account: holder, app }, tokens, renewed))
        ? toAccessToken(renewed, false)
        : undefined
    } catch (error) {
      if (isLost) return undefined
      // Ignores a failed renewal if the OAuth2 grant was replaced during the renewal.
      const isCurrent = versionOf(await findGrantTokens(db, holder)) === versionOf(tokens)
      if (!isCurrent) return undefined
      if (!(error instanceof AppError)) throw error
      const failure = unlessUnconfirmed(error, tokens.failure?.error)
      await this.#recordFailure(holder, tokens, failure)
      throw failure
    }
  }

  /**
   * Stores renewed tokens of an account. Retries even beyond the caller's timeout, because most
   * providers have invalidated the previous tokens. Returns false if newer tokens were stored.
   */
  async #store(
    { account, app }: { account: string; app: Application },
    from: GrantTokens,
    renewed: StoredGrant,
  ): Promise<boolean> {
    const { db, sealer, log, signal } = this.#deps
    const text = JSON.stringify(renewed)
    const sealed = await sealer.seal(text, tokensSealContext(account), tokenBindingOf(app))
    const expiresAt = renewed.expires === undefined ? null : new Date(renewed.expires)
    const tokens = { sealed, scopes: renewed.scopes ?? [], expiresAt }
    for (;;) {
      try {
        return await storeTokens(db, account, { from, tokens })
      } catch (err) {
        log.error({ err, account }, 'storing a renewed token failed, retrying')
        await sleep(storeRetryMs, signal)
      }
    }
  }

  async #recordFailure(account: string, from: GrantTokens, error: AppError): Promise<void> {
    const { db, log } = this.#deps
    const { failure, isInterrupted } = from
    log.warn({ err: error, account, afterInterruption: isInterrupted }, 'token renewal failed')
    const { ttl: retrySeconds } = error.extras
    const again = failure !== undefined
    const failed = { error: lastErrorOf(error), again, ...defined({ retrySeconds }) }
    await markRefreshFailed(db, account, failed).catch(() => undefined)
  }

  /**
   * Decrypts the tokens of an OAuth2 grant. Ignores renewed tokens of another application.
   *
   * @throws AppError `rejected` if the grant itself belongs to another application
   */
  async #unseal(
    app: Application,
    { holder }: ResolvedGrant,
    { tokens, grant }: GrantTokens,
  ): Promise<StoredGrant> {
    const { secrets } = this.#deps
    const context = passwordSealContext(holder, 'oauth2')
    const granted =
      grant === undefined ? undefined : await secrets.openTokens({ sealed: grant, context }, app)
    const renewed =
      tokens === undefined
        ? undefined
        : await secrets.findTokens({ sealed: tokens, context: tokensSealContext(holder) }, app)
    return parseGrant(renewed ?? granted?.value ?? '{}')
  }

  /** Remaining life of an access token in ms; 0 without a token for the subject (user) `wanted`. */
  #leftMs({ accessToken, expires = Infinity, subject }: StoredGrant, wanted: string): number {
    const isOther = subject !== undefined && subject !== wanted
    return accessToken === undefined || isOther ? 0 : expires - this.#now()
  }

  #now(): number {
    return (this.#deps.now ?? Date.now)()
  }
}

interface Renewal {
  app: Application
  resolved: ResolvedGrant
  tokens: GrantTokens
  stored: StoredGrant
  /** If true, the OAuth2 provider is called even after a recent failure. */
  insist: boolean
}

/** Failure of the last token renewal, as long as the provider must not be called again. */
function recentFailure({ failure }: GrantTokens): RefreshFailure | undefined {
  return failure && !mayRetry(failure) ? failure : undefined
}

/** Version of an account's tokens. Changes with every renewal and with every new OAuth2 grant. */
function versionOf({ grantUpdatedAt, revision }: GrantTokens): string {
  return `${grantUpdatedAt.getTime()} ${revision}`
}

/** Time before an access token's expiry from which it is renewed: `ms`, at most half its life. */
function marginOf({ lifetimeMs = Infinity }: StoredGrant, ms: number): number {
  return Math.min(ms, lifetimeMs / 2)
}

/** Subject of an access token: the application, and for a service account also the user. */
function subjectOf({ id, provider }: Application, { owner }: ResolvedGrant): string {
  const isService = oauth2ProviderTraits[provider].login === 'service'
  return isService ? JSON.stringify([id, owner]) : JSON.stringify([id])
}

function grantOf(app: Application, { owner }: ResolvedGrant, { refreshToken }: StoredGrant): Grant {
  if (app.provider === 'gmailService') return { kind: 'jwt-bearer', subject: owner }
  if (app.provider === 'outlookService') return { kind: 'client_credentials' }
  if (refreshToken !== undefined) return { kind: 'refresh_token', refreshToken }
  throw new AppError('rejected', 'The access token has expired and there is no refresh token', {
    code: 'OauthRenewError',
  })
}

function toAccessToken(
  { accessToken = '', expires, scopes = [] }: StoredGrant,
  cached: boolean,
): AccessToken {
  return { accessToken, scopes, cached, ...defined({ expires }) }
}
