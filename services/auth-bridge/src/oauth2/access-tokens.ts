import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@posthorn/telemetry'
import { AppError } from '@posthorn/errors'
import { SingleFlight } from '../providers/single-flight.ts'
import { placeOfPassword } from '../store/credentials.ts'
import {
  findHolding,
  type Holding,
  markRefreshFailed,
  placeOfTokens,
  type RefreshFailure,
  storeTokens,
} from '../store/oauth2-tokens.ts'
import { claimRefresh, type Lease, releaseRefresh } from '../store/refresh-leases.ts'
import { type Application, openMailApplication } from './application.ts'
import type { OAuth2Deps } from './deps.ts'
import { readGrant, type StoredGrant } from './grant.ts'
import { isJustRenewed, isOver } from './pause.ts'
import { reportApp } from './report-app.ts'
import { errorOf, lastErrorOf, unreachableCode } from './token-failure.ts'
import { type Grant, requestToken } from './token-endpoint.ts'
import type { GrantUse } from './whose-grant.ts'

export interface AccessToken {
  accessToken: string
  /** Epoch milliseconds; absent where the provider did not say. */
  expires?: number
  scopes: string[]
  /** It was there already. */
  cached: boolean
}

export interface TokenDeps extends OAuth2Deps {
  log: Logger
  /** Aborted when the service ends. */
  signal: AbortSignal
}

/** A token with less life than this is renewed before it is used. */
const marginMs = 30_000
/** Longer than a token endpoint may take, and its answer to be stored: another replica asks when it is over. */
const leaseMs = 20_000
/** Whoever asked has given up by then. */
const patienceMs = 12_000
const retryMs = 150
/** A new token that cannot be stored is kept trying with, this often. */
const storeAgainMs = 500

/**
 * The access tokens of accounts. One renewal an account at a time, across replicas: a refresh token may be good for one use. What a
 * provider gave is stored before anybody gets it, so that the next one to ask goes on from it. One that gave nothing is left alone for a
 * while, by all replicas.
 */
export class AccessTokens {
  readonly #deps: TokenDeps
  readonly #flights = new SingleFlight<AccessToken>()

  constructor(deps: TokenDeps) {
    this.#deps = deps
  }

  /**
   * A token that is good now. `fresh`: the one that was there when this was asked was refused, which counts unless the provider has
   * just given it. `insist`: the provider is asked even if it has just said no.
   *
   * @throws AppError `rejected` where the provider gives none, `unreachable` where it cannot be asked, `internal` where there is no
   * such application
   */
  get(use: GrantUse, { fresh = false, insist = false } = {}): Promise<AccessToken> {
    const key = JSON.stringify([use.holder, use.app, use.owner, fresh, insist])
    return this.#flights.get(key, async () => ({
      value: await this.#obtain(use, { fresh, insist }),
      until: 0,
    }))
  }

  async #obtain(
    use: GrantUse,
    { fresh, insist }: { fresh: boolean; insist: boolean },
  ): Promise<AccessToken> {
    const { db, signal } = this.#deps
    const app = await openMailApplication(this.#deps, use.app)
    const { holder: account } = use
    const refused = fresh ? await this.#refused(account, insist) : undefined
    const lease = { account, holder: randomUUID() }
    const giveUpAt = Date.now() + patienceMs
    while (!signal.aborted && Date.now() < giveUpAt) {
      const holding = await findHolding(db, account)
      const stored = await this.#open(use, holding)
      if (markOf(holding) !== refused && isGood(stored, subjectOf(app, use), this.#now()))
        return described(stored, true)
      const failure = insist ? undefined : recent(holding)
      if (failure) throw errorOf(failure.error)
      const renewal = { app, use, holding, stored, insist }
      const renewed = await this.#inTurn(lease, renewal)
      if (renewed) return renewed
    }
    throw new AppError('unreachable', 'The access token is being renewed by another process', {
      code: unreachableCode,
    })
  }

  /** The mark of what is not to be answered again. */
  async #refused(account: string, insist: boolean): Promise<string | undefined> {
    const holding = await findHolding(this.#deps.db, account)
    return !insist && isJustRenewed(holding) ? undefined : markOf(holding)
  }

  /** Undefined where another has its turn, or had it meanwhile: what there is then is to be looked at again. */
  async #inTurn(lease: Lease, renewal: Renewal): Promise<AccessToken | undefined> {
    const { db, signal } = this.#deps
    const { holding, insist } = renewal
    const { grantUpdatedAt } = holding
    if (!(await claimRefresh(db, lease, { grantUpdatedAt, leaseMs }))) {
      await delay(retryMs, undefined, { signal })
      return undefined
    }
    try {
      // Whoever had the lease before has put down by now what came of it.
      const now = await findHolding(db, lease.account)
      if (markOf(now) !== markOf(holding) || (!insist && recent(now))) return undefined
      return await this.#renew(renewal)
    } finally {
      await releaseRefresh(db, lease).catch(() => undefined)
    }
  }

  /** Undefined where there is something newer by now. */
  async #renew({ app, use, holding, stored }: Renewal): Promise<AccessToken | undefined> {
    const { db } = this.#deps
    try {
      const grant = grantOf(app, use, stored)
      const answer = await reportApp(this.#deps, app.id, () => requestToken(this.#deps, app, grant))
      const { accessToken, refreshToken = stored.refreshToken, expires } = answer
      const scopes = answer.scopes ?? stored.scopes ?? [...app.profile.scopes]
      const renewed: StoredGrant = {
        accessToken,
        scopes,
        subject: subjectOf(app, use),
        ...(refreshToken === undefined ? {} : { refreshToken }),
        ...(expires === undefined ? {} : { expires }),
      }
      return (await this.#store(use.holder, holding, renewed))
        ? described(renewed, false)
        : undefined
    } catch (error) {
      // The grant may have been replaced while we asked with the old one.
      const isCurrent = markOf(await findHolding(db, use.holder)) === markOf(holding)
      if (!isCurrent) return undefined
      if (error instanceof AppError) await this.#failed(use.holder, holding, error)
      throw error
    }
  }

  /**
   * Goes on until it is stored: what it replaces is worth nothing any more, at most providers. Whoever waits gives up before. False
   * where there is something newer.
   */
  async #store(account: string, from: Holding, renewed: StoredGrant): Promise<boolean> {
    const { db, sealer, log, signal } = this.#deps
    const sealed = await sealer.seal(JSON.stringify(renewed), placeOfTokens(account))
    const expiresAt = renewed.expires === undefined ? null : new Date(renewed.expires)
    const tokens = { sealed, scopes: renewed.scopes ?? [], expiresAt }
    for (;;) {
      try {
        return await storeTokens(db, account, { from, tokens })
      } catch (err) {
        log.error({ err, account }, 'a renewed token cannot be stored')
        await delay(storeAgainMs, undefined, { signal })
      }
    }
  }

  async #failed(account: string, from: Holding, error: AppError): Promise<void> {
    const { db, log } = this.#deps
    const { failure, isInterrupted } = from
    log.warn({ err: error, account, afterInterruption: isInterrupted }, 'no access token')
    const failed = { error: lastErrorOf(error), again: failure !== undefined }
    await markRefreshFailed(db, account, failed).catch(() => undefined)
  }

  async #open({ holder }: GrantUse, { tokens, grant }: Holding): Promise<StoredGrant> {
    const { opener } = this.#deps
    if (tokens !== undefined) return readGrant(await opener.unseal(tokens, placeOfTokens(holder)))
    if (grant === undefined) return {}
    return readGrant(await opener.unseal(grant, placeOfPassword(holder, 'oauth2')))
  }

  #now(): number {
    return (this.#deps.now ?? Date.now)()
  }
}

interface Renewal {
  app: Application
  use: GrantUse
  holding: Holding
  stored: StoredGrant
  /** The provider is asked even if it has just said no. */
  insist: boolean
}

/** How the provider failed where it is to be left alone for that. */
function recent({ failure }: Holding): RefreshFailure | undefined {
  return failure && !isOver(failure) ? failure : undefined
}

/** Tells what there was from what came after it. */
function markOf({ grantUpdatedAt, revision }: Holding): string {
  return `${grantUpdatedAt.getTime()} ${revision}`
}

function isGood(
  { accessToken, expires, subject: of }: StoredGrant,
  subject: string,
  now: number,
): boolean {
  if (accessToken === undefined || (of !== undefined && of !== subject)) return false
  return expires === undefined || expires - now >= marginMs
}

/** Tokens of service applications are of whoever they were asked for; those of people are what they are. */
function subjectOf({ id, provider }: Application, { owner }: GrantUse): string {
  return provider.endsWith('Service') ? JSON.stringify([id, owner]) : JSON.stringify([id])
}

function grantOf(app: Application, { owner }: GrantUse, { refreshToken }: StoredGrant): Grant {
  if (app.provider === 'gmailService') return { kind: 'jwt-bearer', subject: owner }
  if (app.provider === 'outlookService') return { kind: 'client_credentials' }
  if (refreshToken !== undefined) return { kind: 'refresh_token', refreshToken }
  throw new AppError('rejected', 'The access token has ended and there is none to renew it with', {
    code: 'OauthRenewError',
  })
}

function described({ accessToken = '', expires, scopes = [] }: StoredGrant, cached: boolean) {
  return { accessToken, scopes, cached, ...(expires === undefined ? {} : { expires }) }
}
