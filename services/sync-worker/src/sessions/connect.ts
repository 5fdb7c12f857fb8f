import type { MailSession } from '@posthorn/backends'
import { type Credentials, getCredentials } from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import { resolveAllowed } from '@posthorn/net'
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
  const leave = await deps.logins.enter(account.imap.host, signal)
  try {
    await assertHostAllowed(deps, account, signal)
    const credentials = await askCredentials(deps, account, signal)
    const session = await connect(deps, account, { credentials, signal })
    deps.metrics.connections(1)
    void session.closed.then(() => deps.metrics.connections(-1))
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
  { backend, settings, config, log, transcripts }: Deps,
  { account, imap, logs }: Account,
  { credentials, signal }: { credentials: Credentials; signal: AbortSignal },
): Promise<MailSession> {
  const { ignoreMailCertErrors = false } = await settings.get()
  return backend.connect({
    host: imap.host,
    port: imap.port,
    secure: imap.secure ?? false,
    rejectUnauthorized: !ignoreMailCertErrors && imap.tls?.rejectUnauthorized !== false,
    credentials,
    log: log.child({ account }),
    signal,
    connectTimeoutMs: config.connectTimeoutMs,
    ...(logs ? { transcript: transcripts.open(account) } : {}),
  })
}

async function askCredentials(
  { bus }: Deps,
  { account }: Account,
  signal: AbortSignal,
): Promise<Credentials> {
  try {
    return await bus.ask(
      getCredentials,
      { account, protocol: 'imap' },
      { key: 'credentials', timeoutMs: credentialsMs, signal },
    )
  } catch (error) {
    // An account without stored credentials cannot log in, which is what its owner must be told.
    if (error instanceof AppError && error.kind === 'not-found')
      throw new AppError('unauthorized', error.message, { cause: error })
    throw error
  }
}

async function assertHostAllowed(
  { config }: Deps,
  { imap }: Account,
  signal: AbortSignal,
): Promise<void> {
  try {
    await resolveAllowed(imap.host, config.mailEgressPolicy, { signal })
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error
    const { code } = error as { code?: string }
    throw new AppError('unreachable', messageOf(error), {
      cause: error,
      ...(code === undefined ? {} : { code }),
    })
  }
}
