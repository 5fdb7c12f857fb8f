import type { ConnectOptions, MailSession } from '@posthorn/backends'
import { type Credentials, getCredentials, type ImapConfig } from '@posthorn/contracts'
import type { StoredServer } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Deps } from '../deps.ts'
import type { Account } from './account.ts'

/** How long auth-bridge may take: it may have to renew an access token first. */
const credentialsMs = 10_000

/** Logs in at the account's server, when its turn has come. Errors are those of `MailSession`, or `unavailable` where they are ours. */
export async function openSession(
  deps: Deps,
  account: Account,
  signal: AbortSignal,
): Promise<MailSession> {
  await busIsUp(deps, signal)
  const leave = await deps.logins.enter(account.imap.host, signal, {
    byName: account.proxy !== null,
  })
  try {
    const credentials = await askCredentials(deps, account, signal)
    const session = await connect(deps, account, { credentials, signal })
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
    await bus.whenUp(AbortSignal.any([signal, AbortSignal.timeout(credentialsMs)]))
  } catch (cause) {
    throw new AppError('unavailable', 'Credentials cannot be asked for: RabbitMQ is away', {
      cause,
    })
  }
}

async function connect(
  deps: Deps,
  { account, imap, proxy, logs }: Account,
  { credentials, signal }: { credentials: Credentials; signal: AbortSignal },
): Promise<MailSession> {
  const { backend, log, transcripts } = deps
  return backend.connect({
    ...(await serverOptions(deps, imap, proxy)),
    credentials,
    log: log.child({ account }),
    signal,
    ...(logs ? { transcript: transcripts.open(account) } : {}),
  })
}

/** How a server is connected to, and where it may be: the addresses that are checked are those that are connected to. */
export async function serverOptions(
  { settings, config }: Pick<Deps, 'settings' | 'config'>,
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
    ...(through ? { proxy: through } : {}),
    ...(tls?.minVersion === undefined ? {} : { minTlsVersion: tls.minVersion }),
    ...(disableIMAP4rev2 === undefined ? {} : { disableIMAP4rev2 }),
  }
}

async function askCredentials(
  { bus, worker }: Deps,
  { account }: Account,
  signal: AbortSignal,
): Promise<Credentials> {
  try {
    return await bus.ask(
      getCredentials,
      { account, protocol: 'imap', grounds: { worker } },
      { key: 'credentials', timeoutMs: credentialsMs, signal },
    )
  } catch (error) {
    // An account without stored credentials cannot log in, which is what its owner must be told.
    if (error instanceof AppError && ['not-found', 'rejected'].includes(error.kind))
      throw new AppError('unauthorized', error.message, { cause: error })
    throw error
  }
}
