import { isDeepStrictEqual } from 'node:util'
import type { ConnectOptions, MailSession } from '@posthorn/backends'
import {
  type Credentials,
  minCredentialsTimeoutMs,
  getCredentials,
  type ImapConfig,
  type Settings,
} from '@posthorn/contracts'
import type { StoredServer } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { rankAddresses } from '@posthorn/net'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Deps } from '../deps.ts'
import type { Account } from './account.ts'

/** Logs in at the account's server, when its turn has come. Errors are those of `MailSession`, or `unavailable` where they are ours. */
export async function connectSession(
  deps: Deps,
  account: Account,
  signal: AbortSignal,
): Promise<MailSession> {
  await busIsUp(deps, signal)
  const leave = await deps.logins.acquire(account.imap.host, signal, {
    byName: account.proxy !== null,
  })
  try {
    const session = await logIn(deps, account, signal)
    deps.metrics.connections(1)
    const gone = deps.connections.add(account.lease)
    void session.closed.then(() => {
      deps.metrics.connections(-1)
      gone()
    })
    return session
  } finally {
    leave()
  }
}

/** Credentials come over the bus: right after a start it is worth waiting for. */
async function busIsUp({ bus }: Deps, signal: AbortSignal): Promise<void> {
  try {
    await bus.whenUp(AbortSignal.any([signal, AbortSignal.timeout(minCredentialsTimeoutMs)]))
  } catch (cause) {
    throw new AppError('unavailable', 'Credentials cannot be asked for: RabbitMQ is away', {
      cause,
    })
  }
}

/** A refused access token may have been withdrawn before its time: another is asked for once. */
async function logIn(deps: Deps, account: Account, signal: AbortSignal): Promise<MailSession> {
  const credentials = await askCredentials(deps, account, { signal })
  try {
    return await connect(deps, account, { credentials, signal })
  } catch (error) {
    const isRefused = error instanceof AppError && error.kind === 'unauthorized'
    if (!isRefused || !('accessToken' in credentials)) throw error
    const fresh = await askCredentials(deps, account, { signal, fresh: true })
    if (isDeepStrictEqual(fresh, credentials)) throw error
    return connect(deps, account, { credentials: fresh, signal })
  }
}

async function connect(
  deps: Deps,
  { account, imap, proxy, logs }: Account,
  { credentials, signal }: { credentials: Credentials; signal: AbortSignal },
): Promise<MailSession> {
  const { backend, log, transcripts } = deps
  const settings = await deps.settings.get()
  return backend.connect({
    ...(await serverOptions(deps, imap, proxy)),
    ...ownWords(settings),
    localAddresses: localAddressesFor(account, settings),
    credentials,
    log: log.child({ account }),
    signal,
    ...(logs || settings.logs?.all ? { transcript: transcripts.open(account) } : {}),
  })
}

/** What we call ourselves, where the settings say something. */
function ownWords(settings: Settings): Pick<ConnectOptions, 'clientInfo'> {
  const words = {
    name: settings.imapClientName,
    version: settings.imapClientVersion,
    vendor: settings.imapClientVendor,
    'support-url': settings.imapClientSupportUrl,
  }
  const said = Object.entries(words).filter(([, word]) => word !== undefined)
  return said.length === 0 ? {} : { clientInfo: Object.fromEntries(said) }
}

function localAddressesFor(account: string, settings: Settings): string[] {
  const { localAddresses = [], imapStrategy: strategy } = settings
  return rankAddresses(localAddresses, { strategy, account })
}

/** How a server is connected to, and where it may be: the addresses that are checked are those that are connected to. */
export async function serverOptions(
  { settings, openLogin, config }: Pick<Deps, 'settings' | 'openLogin' | 'config'>,
  { host, port, secure = false, tls, disableIMAP4rev2 }: StoredServer<ImapConfig>,
  proxy: string | null,
): Promise<Omit<ConnectOptions, 'credentials' | 'log'>> {
  const { ignoreMailCertErrors = false, proxyEnabled, proxyUrl } = await settings.get()
  const through = proxy ?? (proxyEnabled === true && proxyUrl)
  return {
    host,
    port,
    secure,
    rejectUnauthorized: !ignoreMailCertErrors && tls?.rejectUnauthorized !== false,
    egress: config.mailEgressPolicy,
    connectTimeoutMs: config.connectTimeoutMs,
    ...(through ? { proxy: await openProxy(through, openLogin) } : {}),
    ...(tls?.minVersion === undefined ? {} : { minTlsVersion: tls.minVersion }),
    ...(disableIMAP4rev2 === undefined ? {} : { disableIMAP4rev2 }),
  }
}

/** A login that no key opens is trouble of the account, as a proxy is that refuses it. */
async function openProxy(address: string, openLogin: UnsealLogin): Promise<string> {
  try {
    return await openLogin(address)
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.kind !== 'internal') throw cause
    const message = 'The login of the proxy cannot be opened'
    throw new AppError('unreachable', message, { code: 'EPROXY', cause })
  }
}

async function askCredentials(
  { bus, worker }: Deps,
  { account }: Account,
  { signal, fresh = false }: { signal: AbortSignal; fresh?: boolean },
): Promise<Credentials> {
  try {
    return await bus.request(
      getCredentials,
      { account, protocol: 'imap', grounds: { worker }, ...(fresh ? { fresh } : {}) },
      { key: 'credentials', timeoutMs: minCredentialsTimeoutMs, signal },
    )
  } catch (error) {
    throw error instanceof AppError ? ofCredentials(error) : error
  }
}

/** What it says about the account that there is nothing to log in with. */
function ofCredentials(error: AppError): AppError {
  const { kind, message, code, extras } = error
  const about = { ...(code === undefined ? {} : { code }), extras, cause: error }
  // Its OAuth2 application is deleted or another kind: nothing that its owner could do about, and over when that is mended.
  if (code === 'AppNotFound' || code === 'InvalidBaseScopes')
    return new AppError('unreachable', message, about)
  // An account without credentials, or whose grant is refused, cannot log in, which is what its owner must be told.
  if (kind === 'rejected') return new AppError('unauthorized', message, about)
  return kind === 'not-found' ? new AppError('unauthorized', message, { cause: error }) : error
}
