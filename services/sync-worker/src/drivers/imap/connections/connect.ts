import { isDeepStrictEqual } from 'node:util'
import type { ConnectOptions, ImapBackend, MailSession, MessageFaults } from '@posthorn/backends'
import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import { assertDestination } from '@posthorn/contracts/schemas/destination'
import type { ImapConfig } from '@posthorn/contracts/schemas/mail-server'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { isFailedConnection } from '@posthorn/contracts/visible-failures'
import type { SettingsCache, StoredServer } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { holdFailure } from '@posthorn/flow'
import { rankAddresses } from '@posthorn/net/local-addresses'
import type { Logger } from '@posthorn/telemetry'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Config } from '../../../config.ts'
import type { Transcripts } from '../../../logs/transcripts.ts'
import type { ImapAccount } from '../../../store/accounts.ts'
import type { ConnectionCounter } from '../../driver-parts.ts'
import type { CredentialsClient } from '../../credentials.ts'
import type { LoginFor } from './login-gate.ts'
import type { LoginLimiter } from './login-limiter.ts'

/**
 * Opens a connection of an account to its IMAP server. Waits for a login permit of the login
 * limits.
 *
 * @throws AppError Errors of `ImapBackend.connect`; `unavailable` if this service is the cause.
 */
export type Connect = (
  account: ImapAccount,
  signal: AbortSignal,
  options: AccountConnection,
) => Promise<MailSession>

export interface AccountConnection {
  /** Faulty messages of the account: messages that the account's server cannot describe. */
  faults: MessageFaults
  loginFor: LoginFor
  /** Called if the new IMAP connection has to wait for a login permit. */
  onWait?: (() => void) | undefined
  /** Called when the new IMAP connection has received its login permit. */
  onTurn?: (() => void) | undefined
}

export interface ConnectDeps {
  readonly backend: ImapBackend
  readonly settings: Pick<SettingsCache, 'get'>
  readonly credentials: CredentialsClient
  readonly getServerOptions: GetServerOptions
  readonly logins: LoginLimiter
  readonly connections: ConnectionCounter
  readonly transcripts: Pick<Transcripts, 'forConnection'>
  readonly log: Logger
  readonly config: Pick<Config, 'connectTimeoutMs'>
}

export function createConnector(deps: ConnectDeps): Connect {
  return async (account, signal, { faults, loginFor, onWait, onTurn }) => {
    await deps.credentials.whenAvailable(signal)
    const login = { loginFor, onWait, viaProxy: account.proxy !== null }
    using permit = await deps.logins.acquire(account.imap.host, signal, login)
    onTurn?.()
    const onHeld = () => permit[Symbol.dispose]()
    const session = await logIn(deps, account, { signal, faults, onHeld })
    const remove = deps.connections.add(account.lease)
    void session.closed.then(remove)
    return session
  }
}

const protocol = 'imap'

interface LoginOptions {
  signal: AbortSignal
  faults: MessageFaults
  /** Called to release resources when the report of a failed IMAP connection is delayed. */
  onHeld: () => void
}

/**
 * Logs in to the account's IMAP server. If the server rejects the access token, requests a new
 * token once, because the token may have been revoked before its expiry.
 */
async function logIn(
  deps: ConnectDeps,
  account: ImapAccount,
  options: LoginOptions,
): Promise<MailSession> {
  const { signal } = options
  const credentials = await deps.credentials.request(account, { protocol, signal })
  try {
    return await connect(deps, account, { ...options, credentials })
  } catch (error) {
    const isRejected = error instanceof AppError && error.kind === 'unauthorized'
    if (!isRejected || !('accessToken' in credentials)) throw error
    const fresh = await deps.credentials.request(account, { protocol, signal, fresh: true })
    if (isDeepStrictEqual(fresh, credentials)) throw error
    return connect(deps, account, { ...options, credentials: fresh })
  }
}

async function connect(
  { backend, log, transcripts, getServerOptions, settings: cache, config }: ConnectDeps,
  { account, imap, isTenantsServer, proxy, logs }: ImapAccount,
  { credentials, signal, faults, onHeld }: LoginOptions & { credentials: Credentials },
): Promise<MailSession> {
  assertDestination(credentials, imap, proxy)
  const settings = await cache.get()
  const options = {
    ...(await getServerOptions(imap, proxy)),
    ...clientInfoOf(settings),
    localAddresses: rankLocalAddresses(account, settings),
    credentials,
    log: log.child({ account }),
    faults,
    ...((logs || settings.logs?.all) && { transcript: transcripts.forConnection(account) }),
  }
  const attempt = (limit: AbortSignal) => backend.connect({ ...options, signal: limit })
  if (!isTenantsServer) return attempt(signal)
  const { connectTimeoutMs: timeoutMs } = config
  const isHidden = isConnectionFailure
  return holdFailure(attempt, { timeoutMs, signal, isHidden, onHeld, abortError })
}

function abortError(cause: unknown): AppError {
  return new AppError('unreachable', 'Connecting was aborted', { code: 'ECANCELED', cause })
}

/**
 * True for failures whose reason tenants must not read: all connection failures before the server
 * has replied to the login.
 */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof AppError)) return true
  const { kind, message: response, code: serverResponseCode } = error
  const failure = defined({ response, serverResponseCode })
  return kind !== 'unauthorized' && isFailedConnection(failure)
}

/** Builds the client identification (IMAP ID command, RFC 2971) from the settings. */
function clientInfoOf(settings: Settings): Pick<ConnectOptions, 'clientInfo'> {
  const clientInfo = defined({
    name: settings.imapClientName,
    version: settings.imapClientVersion,
    vendor: settings.imapClientVendor,
    'support-url': settings.imapClientSupportUrl,
  })
  return Object.keys(clientInfo).length === 0 ? {} : { clientInfo }
}

function rankLocalAddresses(account: string, settings: Settings): string[] {
  const { localAddresses = [], imapStrategy: strategy } = settings
  return rankAddresses(localAddresses, { strategy, account })
}

export type GetServerOptions = ReturnType<typeof createServerOptions>

interface ServerOptionsDeps {
  settings: Pick<SettingsCache, 'get'>
  unsealLogin: UnsealLogin
  config: Pick<Config, 'mailEgressPolicy' | 'mailPorts' | 'connectTimeoutMs'>
}

/**
 * Creates the function that returns the network options of a connection to an IMAP server. The
 * options contain the egress policy, which is checked for the resolved addresses.
 */
export function createServerOptions({ settings, unsealLogin, config }: ServerOptionsDeps) {
  return async (
    { host, port, secure = false, tls, disableIMAP4rev2 }: StoredServer<ImapConfig>,
    accountProxy: string | null,
  ): Promise<Omit<ConnectOptions, 'credentials' | 'log'>> => {
    const { ignoreMailCertErrors = false, proxyEnabled, proxyUrl } = await settings.get()
    const proxy = accountProxy ?? (proxyEnabled === true && proxyUrl)
    return {
      host,
      port,
      secure,
      allowsPlaintext: tls?.requireStartTls === false,
      rejectUnauthorized:
        tls?.rejectUnauthorized !== false && (!ignoreMailCertErrors || Boolean(proxy)),
      egress: config.mailEgressPolicy,
      mailPorts: config.mailPorts,
      connectTimeoutMs: config.connectTimeoutMs,
      ...(proxy && { proxy: await unsealProxy(proxy, unsealLogin) }),
      ...defined({ minTlsVersion: tls?.minVersion, disableIMAP4rev2 }),
    }
  }
}

/**
 * Decrypts the login in a proxy URL. If no key decrypts the login, the account gets an error, as if
 * the proxy had rejected the login.
 */
async function unsealProxy(address: string, unsealLogin: UnsealLogin): Promise<string> {
  try {
    return await unsealLogin(address)
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.kind !== 'internal') throw cause
    const message = 'The login of the proxy cannot be unsealed'
    throw new AppError('unreachable', message, { code: 'EPROXY', cause })
  }
}
