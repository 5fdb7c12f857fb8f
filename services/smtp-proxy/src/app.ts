import { startTokenLog } from '@posthorn/access'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { cacheSettings } from '@posthorn/db'
import { KeyedSemaphore, Semaphore } from '@posthorn/flow'
import {
  assertListening,
  ClientSessions,
  LoginThrottle,
  type ReloadableListener,
  startMailListener,
  startWithTlsPort,
} from '@posthorn/mail-frontend'
import { bootstrap, defaultChecks, type ServiceContext } from '@posthorn/service/bootstrap'
import type { App } from '@posthorn/service/run'
import { serverPassword } from './access.ts'
import { AccountLimits } from './account-limits.ts'
import { AuthenticatedClients, PendingClients } from './clients.ts'
import type { Config } from './config.ts'
import { type ListenerDeps, type SmtpListenerAddress, startListener } from './listener.ts'
import { listExistingAccounts } from './store/accounts.ts'

/** Starts the service. Disposal finishes messages in transfer and closes in reverse order. */
export async function startApp(config: Config, signal: AbortSignal): Promise<App> {
  await using stack = new AsyncDisposableStack()
  let listener: ReloadableListener | undefined
  const context = await bootstrap(stack, {
    name: 'smtp-proxy',
    config,
    signal,
    // RabbitMQ is not required: messages are stored in Postgres, which the sender polls.
    checks: (checked) => ({
      ...defaultChecks(checked),
      listener: () => assertListening(listener),
    }),
  })
  const { unfinished, ...listening } = await startListening(stack, config, context)
  listener = listening.listener
  stack.defer(context.drained)
  context.markStarted()
  const app = stack.move()
  return {
    unfinished: () => ({ ...context.unfinished(), ...unfinished() }),
    [Symbol.asyncDispose]: () => app.disposeAsync(),
  }
}

interface Listening extends Required<Pick<App, 'unfinished'>> {
  listener: ReloadableListener
}

async function startListening(
  stack: AsyncDisposableStack,
  config: Config,
  { db, bus, log, metrics }: ServiceContext,
): Promise<Listening> {
  const settings = cacheSettings(db, { ttlMs: 1_500 })
  const tokenLog = stack.use(startTokenLog(db, settings, { log }))
  const sessions = new ClientSessions()
  let cut = 0
  const deps: ListenerDeps = {
    db,
    bus,
    settings,
    tokenLog,
    log,
    config,
    throttle: new LoginThrottle(),
    limits: new AccountLimits(config, new Semaphore(config.maxBufferedBytes)),
    pending: new PendingClients(new KeyedSemaphore(config.maxPendingPerAddress)),
    clients: new AuthenticatedClients(sessions),
    closing: new Set(),
    onCut: (messages) => void (cut += messages),
    submissions: metrics.counter({
      name: 'smtp_proxy_submissions_total',
      help: 'Messages received from SMTP clients, by result.',
      labels: ['result'],
    }),
  }
  // Messages in transfer are stored after the listener is disposed and before the database is.
  stack.defer(async () => void (await Promise.all(deps.closing)))
  const listener = await startMailListener(stack, {
    db,
    bus,
    log,
    settings,
    sessions,
    config,
    policy: {
      scope: 'smtp',
      password: serverPassword,
      usableAccounts: (accounts) => listExistingAccounts(db, accounts),
    },
    resolveAddress,
    start: (address, certificate) =>
      startWithTlsPort(address, config.tlsPort, (each) => startListener(each, certificate, deps)),
  })
  return { listener, unfinished: () => ({ messages: cut }) }
}

/**
 * Derives the listener address from the settings. Undefined if the SMTP proxy is disabled.
 * `certificate` is the revision of the certificate; a change restarts the listener.
 */
function resolveAddress(
  settings: Settings,
  certificate: string | undefined,
): SmtpListenerAddress | undefined {
  if (!settings.smtpServerEnabled) return undefined
  const proxy = settings.smtpServerProxy ?? false
  const loginRequired = settings.smtpServerAuthEnabled ?? true
  return {
    host: settings.smtpServerHost ?? '127.0.0.1',
    port: settings.smtpServerPort ?? 2525,
    tls: settings.smtpServerTLSEnabled ?? false,
    proxy,
    loginRequired,
    revision: JSON.stringify([certificate, proxy, loginRequired]),
  }
}
