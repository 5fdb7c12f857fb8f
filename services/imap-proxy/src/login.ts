import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Credentials, getCredentials } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import { assertDestination } from '@posthorn/contracts/schemas/destination'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { SettingsCache } from '@posthorn/db'
import { AppError, isApplicationError } from '@posthorn/errors'
import { holdFailure, type KeyedSemaphore } from '@posthorn/flow'
import type { AuthenticationDeps, ClientLogin, LoginThrottle } from '@posthorn/mail-frontend'
import type { EgressPolicy } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import type { Logger } from '@posthorn/telemetry'
import type { UnsealLogin } from '@posthorn/unseal'
import type { BufferPool } from './upstream/upstream-reader.ts'
import { type AccessDecision, checkAccess, type LoginRejection } from './login-access.ts'
import type { AuthenticatedLogin } from './session.ts'
import type { StoredImap } from './store/accounts.ts'
import { connectToServer, type MailServer, type Upstream } from './upstream/upstream.ts'
import type { TlsSessionCache } from './upstream/upstream-tls.ts'

export interface LoginDeps extends AuthenticationDeps {
  settings: SettingsCache
  unsealLogin: UnsealLogin
  throttle: LoginThrottle
  /** Permits for concurrent IMAP sessions, by account. */
  sessionPermits: KeyedSemaphore
  log: Logger
  ownPort: () => number | undefined
  /** Egress policy: network addresses at which the IMAP proxy may connect to mail servers. */
  egress: EgressPolicy
  /** Port numbers at which the IMAP proxy may connect to mail servers. */
  mailPorts: MailPorts
  buffers: BufferPool
  tlsSessions: TlsSessionCache
}

export type LoginResult =
  | (AuthenticatedLogin & { rejection?: never })
  | { rejection: LoginRejection }

/** Time within which the IMAP proxy must connect to a mail server, including TLS and login. */
const upstreamTimeoutMs = 30_000
const credentialsTimeoutMs = 12_000

const unavailable: LoginRejection = {
  text: '[UNAVAILABLE] Temporary failure, try again later',
  result: 'unavailable',
}
const tooManySessions: LoginRejection = {
  text: '[LIMIT] Too many sessions of this account',
  result: 'limit',
}

/**
 * Authenticates a mail client and logs in at the account's mail server. Rejections never contain
 * text of the server.
 *
 * @throws the reason of the signal if the client disconnected
 */
export async function logIn(
  deps: LoginDeps,
  login: ClientLogin,
  { address, signal }: { address: string; signal: AbortSignal },
): Promise<LoginResult> {
  const { throttle, log } = deps
  try {
    const access = await checkAccess(deps, login, address)
    if (access.rejection) {
      const { rejection } = access
      const account = login.account.slice(0, 256)
      log.info({ account, address, result: rejection.result }, 'login rejected')
      if (rejection.result === 'invalid')
        await delay(throttle.recordFailure(address, login.account), undefined, { signal })
      return { rejection }
    }
    throttle.recordSuccess(address, login.account)
    return await connectUpstream(deps, { account: login.account, ...access }, signal)
  } catch (err) {
    signal.throwIfAborted()
    const rejection = rejectionFor(err)
    log.warn({ err, account: login.account, address, result: rejection.result }, 'login failed')
    return { rejection }
  }
}

type AllowedLogin = Extract<AccessDecision, { imap: StoredImap }> & { account: string }

async function connectUpstream(
  deps: LoginDeps,
  { account, imap, auth }: AllowedLogin,
  signal: AbortSignal,
): Promise<LoginResult> {
  const permit = deps.sessionPermits.tryAcquire(account)
  if (!permit) return { rejection: tooManySessions }
  try {
    const server = await resolveMailServer(imap, await deps.settings.get(), deps.unsealLogin)
    const entitlement = defined({ token: auth.tokenId })
    const requestCredentials = async (fresh: boolean) => {
      const credentials = await deps.bus.request(
        getCredentials,
        { account, protocol: 'imap', entitlement, ...defined({ fresh: fresh || undefined }) },
        { key: 'credentials', timeoutMs: credentialsTimeoutMs, signal },
      )
      assertDestination(credentials, imap.server, imap.proxy)
      return credentials
    }
    const { egress, mailPorts, buffers, tlsSessions } = deps
    const limits = { egress, mailPorts, ownPort: deps.ownPort() }
    const connect: ConnectUpstream = (credentials, limit) =>
      connectToServer(server, { signal: limit, ...limits, buffers, tlsSessions, credentials })
    const upstream = imap.isTenantsServer
      ? await retryWithFreshToken(requestCredentials, withHeldFailures(connect, signal))
      : await retryWithFreshToken(requestCredentials, withDeadline(connect, signal))
    return { account, auth, upstream, permit }
  } catch (error) {
    permit[Symbol.dispose]()
    throw error
  }
}

type ConnectUpstream = (credentials: Promise<Credentials>, limit: AbortSignal) => Promise<Upstream>
type Connect = (credentials: Promise<Credentials>) => Promise<Upstream>

/**
 * Connects to the account's mail server within a timeout, which the first attempt and the retry of
 * a login share.
 */
function withDeadline(connect: ConnectUpstream, signal: AbortSignal): Connect {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(upstreamTimeoutMs)])
  return (credentials) => connect(credentials, deadline)
}

/**
 * Connects to a mail server that a tenant has chosen. Failed connections are reported after a fixed
 * time, so that their duration reveals nothing. The credentials from auth-bridge are awaited before
 * the connection starts, because a failure to get credentials is reported immediately.
 */
function withHeldFailures(connect: ConnectUpstream, signal: AbortSignal): Connect {
  const isHidden = (error: unknown) =>
    error instanceof AppError && error.kind !== 'rejected' && error.kind !== 'rate-limited'
  return async (credentials) => {
    await credentials
    const attempt = (limit: AbortSignal) => connect(credentials, limit)
    return holdFailure(attempt, { timeoutMs: upstreamTimeoutMs, signal, isHidden })
  }
}

/**
 * Connects to the account's mail server, and retries once with a new access token: the server may
 * reject a token before its expiry.
 */
async function retryWithFreshToken(
  requestCredentials: (fresh: boolean) => Promise<Credentials>,
  connect: Connect,
): Promise<Upstream> {
  const credentials = requestCredentials(false)
  try {
    return await connect(credentials)
  } catch (error) {
    const isRejected = error instanceof AppError && error.kind === 'rejected'
    const rejected = await credentials
    if (!isRejected || !('accessToken' in rejected)) throw error
    const fresh = await requestCredentials(true)
    if (isDeepStrictEqual(fresh, rejected)) throw error
    return connect(Promise.resolve(fresh))
  }
}

const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const

async function resolveMailServer(
  { server: { host, port, secure = false, tls }, proxy }: StoredImap,
  { ignoreMailCertErrors = false, proxyEnabled, proxyUrl }: Settings,
  unsealLogin: UnsealLogin,
): Promise<MailServer> {
  const sealedProxy = proxy ?? (proxyEnabled === true ? proxyUrl : undefined)
  return {
    host,
    port,
    secure,
    allowsPlaintext: tls?.requireStartTls === false,
    rejectUnauthorized:
      tls?.rejectUnauthorized !== false && (!ignoreMailCertErrors || Boolean(sealedProxy)),
    minVersion: tlsVersions.find((version) => version === tls?.minVersion),
    ...defined({ proxy: sealedProxy ? await unsealLogin(sealedProxy) : undefined }),
  }
}

function rejectionFor(error: unknown): LoginRejection {
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
  // Replies with CONTACTADMIN (RFC 5530 §3), because only an operator can repair the OAuth2
  // application. A retry of the login cannot help.
  if (isApplicationError(error.code))
    return {
      text: '[CONTACTADMIN] The OAuth2 application of the account cannot be used',
      result: 'misconfigured',
    }
  return unavailable
}
