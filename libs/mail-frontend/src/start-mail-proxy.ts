import { startTokenLog, type TokenLog } from '@posthorn/access'
import { cacheSettings, type SettingsCache } from '@posthorn/db'
import {
  bootstrap,
  busCheck,
  defaultChecks,
  type ServiceContext,
} from '@posthorn/service/bootstrap'
import type { App } from '@posthorn/service/run'
import { ClientSessions } from './client-sessions.ts'
import { LoginThrottle } from './login-throttle.ts'
import type { ProxyConfig } from './proxy-config.ts'
import type { ProxyKind } from './proxy-kinds.ts'
import {
  assertListening,
  type ListenerAddress,
  type ReloadableListener,
} from './reloadable-listener.ts'
import { type MailListener, startMailListener } from './start-mail-listener.ts'
import { ListenerCertificate } from './state/listener-certificate.ts'
import { listenerReport } from './state/listener-report.ts'
import { reportStore, startStateReports } from './state/report-state.ts'

export interface MailProxyOptions {
  kind: ProxyKind
  config: ProxyConfig
  signal: AbortSignal
  /** True if the readiness check of the mail proxy fails without RabbitMQ. */
  needsBus: boolean
}

/** Resources that a mail proxy passes to the code of its protocol (IMAP or SMTP). */
export interface ProxyContext extends ServiceContext {
  settings: SettingsCache
  tokenLog: TokenLog
  sessions: ClientSessions
  throttle: LoginThrottle
  /** Port of the open listener for mail clients; undefined while there is no open listener. */
  listeningPort: () => number | undefined
}

/** Parts of a mail proxy that depend on the protocol (IMAP or SMTP). */
export interface MailProtocol<A extends ListenerAddress> extends MailListener<A> {
  /**
   * Returns the numbers of unfinished operations of mail clients that a shutdown has cut, for the
   * log.
   */
  cut: () => Record<string, number>
}

/**
 * Starts a mail proxy: the clients of Postgres and RabbitMQ, then the listener for mail clients.
 * Resources of `createProtocol` are disposed after the listener, and before the clients of Postgres
 * and RabbitMQ.
 */
export async function startMailProxy<A extends ListenerAddress>(
  { kind, config, signal, needsBus }: MailProxyOptions,
  createProtocol: (stack: AsyncDisposableStack, context: ProxyContext) => MailProtocol<A>,
): Promise<App> {
  await using stack = new AsyncDisposableStack()
  let listener: ReloadableListener<A> | undefined
  const service = await bootstrap(stack, {
    name: kind.name,
    config,
    signal,
    checks: (checked) => ({
      ...defaultChecks(checked),
      ...(needsBus ? busCheck(checked) : {}),
      listener: () => assertListening(listener),
    }),
  })
  const { db, bus, log, metrics } = service
  const settings = cacheSettings(db, { ttlMs: 1_500 })
  const context: ProxyContext = {
    db,
    bus,
    log,
    metrics,
    settings,
    tokenLog: stack.use(startTokenLog(db, settings, { log })),
    sessions: new ClientSessions(),
    throttle: new LoginThrottle(),
    listeningPort: () => listener?.address?.port,
  }
  const protocol = createProtocol(stack, context)
  const certificate = new ListenerCertificate(config)
  metrics.gauge({
    name: 'mail_proxy_certificate_expiry_timestamp_seconds',
    help: 'Time at which the certificate of the listener expires, NaN without a certificate',
    collect: () => (certificate.facts?.expiresAt.getTime() ?? Number.NaN) / 1_000,
  })
  const open = await startMailListener(stack, { ...context, kind, config, certificate }, protocol)
  listener = open
  // The state reports are disposed before the mail listener: a replica that stops is not reported
  // as a replica that does not listen.
  stack.use(
    startStateReports({
      store: reportStore(db),
      log,
      service: kind.name,
      sessions: context.sessions,
      readListener: () =>
        listenerReport({ state: open.state, certificate, tlsPort: config.tlsPort }),
    }),
  )
  stack.defer(service.drained)
  service.markStarted()
  const app = stack.move()
  return {
    unfinished: () => ({ ...service.unfinished(), ...protocol.cut() }),
    [Symbol.asyncDispose]: () => app.disposeAsync(),
  }
}
