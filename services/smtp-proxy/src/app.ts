import type { Settings } from '@posthorn/contracts/settings/settings'
import { KeyedSemaphore, Semaphore } from '@posthorn/flow'
import {
  type ListenerAddress,
  type ProxyContext,
  smtpProxy,
  startMailProxy,
} from '@posthorn/mail-frontend'
import type { App } from '@posthorn/service/run'
import { AccountLimits } from './account-limits.ts'
import { AuthenticatedClients, PendingClients } from './clients.ts'
import type { Config } from './config.ts'
import { type ListenerDeps, type SmtpListenerAddress, startListener } from './listener.ts'
import { listExistingAccounts } from './store/accounts.ts'

/**
 * Starts smtp-proxy. Disposal finishes messages in transfer and closes all resources in reverse
 * order.
 */
export function startApp(config: Config, signal: AbortSignal): Promise<App> {
  // smtp-proxy does not require RabbitMQ: messages are stored in Postgres, which the sender polls.
  const options = { kind: smtpProxy, config, signal, needsBus: false }
  return startMailProxy<SmtpListenerAddress>(options, (stack, context) => {
    let cut = 0
    const deps = createDeps(config, context, (messages) => void (cut += messages))
    // At shutdown, waits for SMTP messages in transfer after the listener and before the database
    // connections are closed.
    stack.defer(async () => void (await Promise.all(deps.closing)))
    return {
      usableAccounts: (accounts) => listExistingAccounts(deps.db, accounts),
      completeAddress,
      start: (address, certificate) => startListener(address, certificate, deps),
      cut: () => ({ messages: cut }),
    }
  })
}

function createDeps(
  config: Config,
  context: ProxyContext,
  onCut: ListenerDeps['onCut'],
): ListenerDeps {
  return {
    ...context,
    config,
    limits: new AccountLimits(config, new Semaphore(config.maxBufferedBytes)),
    pending: new PendingClients(new KeyedSemaphore(config.maxPendingPerAddress)),
    clients: new AuthenticatedClients(context.sessions),
    closing: new Set(),
    onCut,
    submissions: context.metrics.counter({
      name: 'smtp_proxy_submissions_total',
      help: 'Messages received from SMTP clients, by result.',
      labels: ['result'],
    }),
  }
}

function completeAddress(
  address: ListenerAddress,
  { smtpServerAuthEnabled: loginRequired = true }: Settings,
): SmtpListenerAddress {
  const revision = JSON.stringify([address.revision, loginRequired])
  return { ...address, loginRequired, revision }
}
