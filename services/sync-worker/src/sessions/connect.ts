import { isDeepStrictEqual } from 'node:util'
import type { ConnectOptions, ImapBackend, MailSession } from '@posthorn/backends'
import type { Bus } from '@posthorn/bus'
import {
  type Credentials,
  defined,
  getCredentials,
  type ImapConfig,
  minCredentialsTimeoutMs,
  type Settings,
} from '@posthorn/contracts'
import type { SettingsCache, StoredServer } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { rankAddresses } from '@posthorn/net'
import type { Logger } from '@posthorn/telemetry'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Config } from '../config.ts'
import type { Transcripts } from '../logs/transcripts.ts'
import type { Account } from '../store/accounts.ts'
import type { ConnectionCounts } from './deferred-writes.ts'
import type { LoginLimiter } from './login-limiter.ts'

/**
 * Opens a connection of an account, within the login limits.
 *
 * @param onTurn called when the login limits admit the connection
 * @throws AppError Errors of `ImapBackend.connect`; `unavailable` if this service is the cause.
 */
export type Connect = (
  account: Account,
  signal: AbortSignal,
  onTurn?: () => void,
) => Promise<MailSession>

export interface ConnectDeps {
  readonly backend: ImapBackend
  readonly settings: Pick<SettingsCache, 'get'>
  readonly credentials: CredentialsClient
  readonly getServerOptions: GetServerOptions
  readonly logins: LoginLimiter
  readonly connections: ConnectionCounts
  readonly transcripts: Pick<Transcripts, 'forConnection'>
  readonly log: Logger
}

export function createConnector(deps: ConnectDeps): Connect {
  return async (account, signal, onTurn) => {
    await deps.credentials.whenAvailable(signal)
    const viaProxy = account.proxy !== null
    using _permit = await deps.logins.acquire(account.imap.host, signal, { viaProxy })
    onTurn?.()
    const session = await logIn(deps, account, signal)
    const remove = deps.connections.add(account.lease)
    void session.closed.then(remove)
    return session
  }
}

/** A rejected access token may have been revoked early, so a new one is requested once. */
async function logIn(
  deps: ConnectDeps,
  account: Account,
  signal: AbortSignal,
): Promise<MailSession> {
  const credentials = await deps.credentials.request(account, { signal })
  try {
    return await connect(deps, account, { credentials, signal })
  } catch (error) {
    const isRejected = error instanceof AppError && error.kind === 'unauthorized'
    if (!isRejected || !('accessToken' in credentials)) throw error
    const fresh = await deps.credentials.request(account, { signal, fresh: true })
    if (isDeepStrictEqual(fresh, credentials)) throw error
    return connect(deps, account, { credentials: fresh, signal })
  }
}

async function connect(
  { backend, log, transcripts, getServerOptions, settings: cache }: ConnectDeps,
  { account, imap, proxy, logs }: Account,
  { credentials, signal }: { credentials: Credentials; signal: AbortSignal },
): Promise<MailSession> {
  const settings = await cache.get()
  return backend.connect({
    ...(await getServerOptions(imap, proxy)),
    ...clientInfoOf(settings),
    localAddresses: rankLocalAddresses(account, settings),
    credentials,
    log: log.child({ account }),
    signal,
    ...((logs || settings.logs?.all) && { transcript: transcripts.forConnection(account) }),
  })
}

/** Client identification of the settings (RFC 2971). */
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

/** Network options of a server. The resolved addresses are checked against the egress policy. */
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
      rejectUnauthorized: !ignoreMailCertErrors && tls?.rejectUnauthorized !== false,
      egress: config.mailEgressPolicy,
      mailPorts: config.mailPorts,
      connectTimeoutMs: config.connectTimeoutMs,
      ...(proxy && { proxy: await unsealProxy(proxy, unsealLogin) }),
      ...defined({ minTlsVersion: tls?.minVersion, disableIMAP4rev2 }),
    }
  }
}

/** A proxy login that no key unseals counts as an error of the account, like a rejected one. */
async function unsealProxy(address: string, unsealLogin: UnsealLogin): Promise<string> {
  try {
    return await unsealLogin(address)
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.kind !== 'internal') throw cause
    const message = 'The login of the proxy cannot be unsealed'
    throw new AppError('unreachable', message, { code: 'EPROXY', cause })
  }
}

type CredentialsClient = ReturnType<typeof createCredentialsClient>

/**
 * Requests credentials from auth-bridge. `worker` proves that this process holds the account's
 * shard.
 */
export function createCredentialsClient(
  bus: Pick<Bus, 'whenUp' | 'request'>,
  worker: { id: string; proof: string },
) {
  return {
    /**
     * Waits for RabbitMQ, which may connect later than this service starts.
     *
     * @throws AppError `unavailable` after the timeout of a credentials request
     */
    async whenAvailable(signal: AbortSignal): Promise<void> {
      try {
        await bus.whenUp(AbortSignal.any([signal, AbortSignal.timeout(minCredentialsTimeoutMs)]))
      } catch (cause) {
        const message = 'Credentials unavailable: RabbitMQ is not connected'
        throw new AppError('unavailable', message, { cause })
      }
    },
    /** With `fresh`, a cached access token is replaced. */
    async request(
      { account }: Account,
      { signal, fresh }: { signal: AbortSignal; fresh?: boolean },
    ): Promise<Credentials> {
      try {
        return await bus.request(
          getCredentials,
          { account, protocol: 'imap', entitlement: { worker }, ...(fresh && { fresh }) },
          { key: 'credentials', timeoutMs: minCredentialsTimeoutMs, signal },
        )
      } catch (error) {
        throw error instanceof AppError ? toAccountError(error) : error
      }
    },
  }
}

/** Error of the account that missing credentials mean. */
function toAccountError(error: AppError): AppError {
  const { kind, message, code, extras } = error
  const options = { ...defined({ code }), extras, cause: error }
  // The OAuth2 application was deleted or changed: an operator has to repair it, not the owner.
  if (code === 'AppNotFound' || code === 'InvalidBaseScopes')
    return new AppError('unreachable', message, options)
  // No credentials or a rejected grant: the owner has to log in again.
  if (kind === 'rejected') return new AppError('unauthorized', message, options)
  return kind === 'not-found' ? new AppError('unauthorized', message, { cause: error }) : error
}
