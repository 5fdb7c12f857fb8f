import { startTokenLog } from '@posthorn/access'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { cacheSettings } from '@posthorn/db'
import { KeyedSemaphore } from '@posthorn/flow'
import {
  assertListening,
  ClientSessions,
  LoginThrottle,
  type ReloadableListener,
  startMailListener,
  startWithTlsPort,
} from '@posthorn/mail-frontend'
import {
  bootstrap,
  busCheck,
  defaultChecks,
  type ServiceContext,
} from '@posthorn/service/bootstrap'
import type { App } from '@posthorn/service/run'
import { createLoginUnsealer } from '@posthorn/unseal'
import { BufferPool } from './upstream-reader.ts'
import type { Config } from './config.ts'
import { type ImapListenerAddress, type ListenerDeps, startListener } from './listener.ts'
import { serverPassword } from './login-access.ts'
import { createImapProxyMetrics } from './metrics.ts'
import { listUsableAccounts } from './store/accounts.ts'
import { TlsSessionCache } from './upstream-tls.ts'

/** Time over which sessions end when an operator switches the proxy off. */
const switchOffMs = 5_000

/** Starts the service. Disposal ends all connections with BYE and closes in reverse order. */
export async function startApp(config: Config, signal: AbortSignal): Promise<App> {
  await using stack = new AsyncDisposableStack()
  let listener: ReloadableListener | undefined
  const context = await bootstrap(stack, {
    name: 'imap-proxy',
    config,
    signal,
    // RabbitMQ is required: each login needs credentials from auth-bridge.
    checks: (checked) => ({
      ...defaultChecks(checked),
      ...busCheck(checked),
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
  const sessions = new ClientSessions()
  const pending: ListenerDeps['pending'] = new Set()
  const deps: ListenerDeps = {
    db,
    bus,
    log,
    sessions,
    pending,
    settings,
    metrics: createImapProxyMetrics(metrics, { sessions, pending }),
    unsealLogin: createLoginUnsealer(bus),
    tokenLog: stack.use(startTokenLog(db, settings, { log })),
    trustedProxies: config.trustedProxies,
    egress: config.mailEgressPolicy,
    mailPorts: config.mailPorts,
    buffers: new BufferPool(),
    tlsSessions: new TlsSessionCache(),
    throttle: new LoginThrottle(),
    sessionPermits: new KeyedSemaphore(config.maxSessionsPerAccount),
    pendingPermits: new KeyedSemaphore(config.maxPendingPerAddress),
    maxPending: config.maxPending,
    ownPort: () => listener.address?.port,
  }
  let cut = 0
  stack.defer(async () => {
    for (const connection of pending) connection.end('Shutting down')
    cut = await sessions.drain('Shutting down', config.drainMs)
  })
  const listener: ReloadableListener = await startMailListener(stack, {
    db,
    bus,
    log,
    settings,
    sessions,
    config,
    policy: {
      scope: 'imap-proxy',
      password: serverPassword,
      usableAccounts: (accounts) => listUsableAccounts(db, accounts),
    },
    resolveAddress: listenerAddressOf,
    onDisabled: async () =>
      void (sessions.size > 0 && (await sessions.drain('The proxy was switched off', switchOffMs))),
    start: (address, certificate) =>
      startWithTlsPort(address, config.tlsPort, (each) => startListener(each, certificate, deps)),
  })
  return { listener, unfinished: () => ({ sessions: cut }) }
}

/**
 * Returns the listening address of the settings, or undefined if the proxy is disabled.
 * `certificate` identifies the certificate's contents; a change restarts the listener.
 */
export function listenerAddressOf(
  settings: Settings,
  certificate: string | undefined,
): ImapListenerAddress | undefined {
  if (!settings.imapProxyServerEnabled) return undefined
  const proxy = settings.imapProxyServerProxy ?? false
  return {
    host: settings.imapProxyServerHost ?? '127.0.0.1',
    port: settings.imapProxyServerPort ?? 2993,
    tls: settings.imapProxyServerTLSEnabled ?? false,
    proxy,
    revision: JSON.stringify([certificate, proxy]),
  }
}
