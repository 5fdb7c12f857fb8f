import { KeyedSemaphore } from '@posthorn/flow'
import { imapProxy, type ProxyContext, startMailProxy } from '@posthorn/mail-frontend'
import type { App } from '@posthorn/service/run'
import { createLoginUnsealer } from '@posthorn/unseal'
import type { Config } from './config.ts'
import { type ListenerDeps, startListener } from './listener.ts'
import { createImapProxyMetrics } from './metrics.ts'
import { listUsableAccounts } from './store/accounts.ts'
import { BufferPool } from './upstream/upstream-reader.ts'
import { TlsSessionCache } from './upstream/upstream-tls.ts'

/** Time over which IMAP sessions end when an operator switches the IMAP proxy off. */
const switchOffMs = 5_000

/**
 * Starts the IMAP proxy. Disposal ends all connections of mail clients with BYE and closes all
 * resources in reverse order.
 */
export function startApp(config: Config, signal: AbortSignal): Promise<App> {
  // Requires RabbitMQ, because each login at the IMAP proxy needs credentials from auth-bridge.
  const options = { kind: imapProxy, config, signal, needsBus: true }
  return startMailProxy(options, (stack, context) => {
    const deps = createDeps(config, context)
    const { sessions, pending } = deps
    let cut = 0
    stack.defer(async () => {
      for (const connection of pending) connection.end('Shutting down')
      cut = await sessions.drain('Shutting down', config.drainMs)
    })
    return {
      usableAccounts: (accounts) => listUsableAccounts(deps.db, accounts),
      completeAddress: (address) => address,
      onDisabled: async () =>
        void (
          sessions.size > 0 && (await sessions.drain('The proxy was switched off', switchOffMs))
        ),
      start: (address, certificate) => startListener(address, certificate, deps),
      cut: () => ({ sessions: cut }),
    }
  })
}

function createDeps(config: Config, context: ProxyContext): ListenerDeps {
  const { bus, sessions, metrics, listeningPort } = context
  const pending: ListenerDeps['pending'] = new Set()
  return {
    ...context,
    pending,
    metrics: createImapProxyMetrics(metrics, { sessions, pending }),
    unsealLogin: createLoginUnsealer(bus),
    trustedProxies: config.trustedProxies,
    egress: config.mailEgressPolicy,
    mailPorts: config.mailPorts,
    buffers: new BufferPool(),
    tlsSessions: new TlsSessionCache(),
    sessionPermits: new KeyedSemaphore(config.maxSessionsPerAccount),
    pendingPermits: new KeyedSemaphore(config.maxPendingPerAddress),
    maxPending: config.maxPending,
    ownPort: listeningPort,
  }
}
