import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Credentials, getCredentials, type Settings } from '@posthorn/contracts'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { EgressPolicy } from '@posthorn/net'
import type { KeyedSemaphore } from '@posthorn/flow'
import type { SessionAuth, LoginThrottle } from '@posthorn/mail-frontend'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import { type AccessDeps, checkAccess, type Login, type Refusal } from './access.ts'
import type { LargePieces } from './large-pieces.ts'
import type { Admitted } from './pass-through.ts'
import type { StoredImap } from './store/accounts.ts'
import type { TlsTickets } from './tls-tickets.ts'
import { type MailServer, openUpstream, type Upstream } from './upstream.ts'

export interface LogInDeps extends AccessDeps {
  settings: SettingsCache
  openLogin: UnsealLogin
  penalties: LoginThrottle
  /** Sessions by account. */
  places: KeyedSemaphore
  log: Logger
  ownPort: () => number | undefined
  /** Where mail servers may be. */
  egress: EgressPolicy
  large: LargePieces
  tickets: TlsTickets
}

export type LoggedIn = (Admitted & { refusal?: never }) | { refusal: Refusal }

/** Connecting, TLS and login at the mail server, all together. */
const upstreamMs = 30_000
const credentialsMs = 12_000

const unavailable: Refusal = {
  text: '[UNAVAILABLE] Temporary failure, try again later',
  result: 'unavailable',
}
const tooMany: Refusal = { text: '[LIMIT] Too many sessions of this account', result: 'limit' }

/** Lets a client in: checks its token and logs in at the account's server. What went wrong is told in our words alone. */
export async function logIn(
  deps: LogInDeps,
  login: Login,
  client: { address: string; signal: AbortSignal },
): Promise<LoggedIn> {
  const { penalties, log } = deps
  const { address, signal } = client
  try {
    const access = await checkAccess(deps, login, address)
    if (access.refusal) {
      const { refusal } = access
      log.info({ account: login.account.slice(0, 256), address, result: refusal.result }, 'refused')
      if (refusal.result === 'invalid')
        await delay(penalties.recordFailure(address, login.account), undefined, { signal })
      return { refusal }
    }
    penalties.recordSuccess(address, login.account)
    return await connectTo(deps, { account: login.account, ...access }, signal)
  } catch (err) {
    signal.throwIfAborted()
    const refusal = refusalFor(err)
    log.warn({ err, account: login.account, address, result: refusal.result }, 'not logged in')
    return { refusal }
  }
}

interface Allowed {
  account: string
  imap: StoredImap
  key: SessionAuth
}

async function connectTo(
  deps: LogInDeps,
  { account, imap, key }: Allowed,
  signal: AbortSignal,
): Promise<LoggedIn> {
  const place = deps.places.tryAcquire(account)
  if (!place) return { refusal: tooMany }
  try {
    const server = await serverOf(imap, await deps.settings.get(), deps.openLogin)
    const entitlement = key.tokenId === undefined ? {} : { token: key.tokenId }
    const ask = (fresh: boolean) =>
      deps.bus.request(
        getCredentials,
        { account, protocol: 'imap', entitlement, ...(fresh ? { fresh } : {}) },
        { key: 'credentials', timeoutMs: credentialsMs, signal },
      )
    const within = AbortSignal.any([signal, AbortSignal.timeout(upstreamMs)])
    const { ownPort, egress, large, tickets } = deps
    const open = (credentials: Promise<Credentials>) =>
      openUpstream(server, {
        credentials,
        signal: within,
        ownPort: ownPort(),
        egress,
        large,
        tickets,
      })
    const upstream = await openRenewed(ask, open)
    return { account, key, upstream, place }
  } catch (error) {
    place[Symbol.dispose]()
    throw error
  }
}

/** A refused access token may have been withdrawn before its time: another is asked for once. */
async function openRenewed(
  ask: (fresh: boolean) => Promise<Credentials>,
  open: (credentials: Promise<Credentials>) => Promise<Upstream>,
): Promise<Upstream> {
  const credentials = ask(false)
  try {
    return await open(credentials)
  } catch (error) {
    const isRefused = error instanceof AppError && error.kind === 'rejected'
    const refused = await credentials
    if (!isRefused || !('accessToken' in refused)) throw error
    const fresh = await ask(true)
    if (isDeepStrictEqual(fresh, refused)) throw error
    return open(Promise.resolve(fresh))
  }
}

const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const

async function serverOf(
  { server: { host, port, secure = false, tls }, proxy }: StoredImap,
  { ignoreMailCertErrors = false, proxyEnabled, proxyUrl }: Settings,
  openLogin: UnsealLogin,
): Promise<MailServer> {
  const through = proxy ?? (proxyEnabled === true ? proxyUrl : undefined)
  return {
    host,
    port,
    secure,
    rejectUnauthorized: !ignoreMailCertErrors && tls?.rejectUnauthorized !== false,
    minVersion: tlsVersions.find((version) => version === tls?.minVersion),
    ...(through ? { proxy: await openLogin(through) } : {}),
  }
}

function refusalFor(error: unknown): Refusal {
  if (!(error instanceof AppError)) return unavailable
  if (error.kind === 'rejected')
    return {
      text: '[AUTHENTICATIONFAILED] The mail server refused the login',
      result: 'upstream-refused',
    }
  if (error.kind === 'rate-limited')
    return {
      text: '[LIMIT] The mail server takes no more sessions of this account',
      result: 'limit',
    }
  return unavailable
}
