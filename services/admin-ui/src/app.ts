import { addressAllowed, mayScrape } from '@posthorn/access'
import { AppError } from '@posthorn/errors'
import type { ServeOptions } from '@posthorn/http'
import { bootstrap } from '@posthorn/service/bootstrap'
import { tlsOptions } from '@posthorn/service/http-config'
import type { App } from '@posthorn/service/run'
import { Router } from 'express'
import { createAuditLog } from './audit/audit-log.ts'
import type { Config } from './config.ts'
import { allowAddresses } from './http/allow-addresses.ts'
import { requireOwnPage } from './http/require-own-page.ts'
import { mountPages } from './pages/mount-pages.ts'
import { startCalls } from './start-calls.ts'
import { startIdentity } from './start-identity.ts'

const name = 'admin-ui'

/** Started service of the administration pages, with the port of its HTTP server. */
export interface AdminUi extends App {
  readonly port: number
}

/** Starts admin-ui. Disposal ends open streams and closes all resources in reverse order. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AdminUi> {
  await using stack = new AsyncDisposableStack()
  const routes = Router({ caseSensitive: true })
  let isStarted = false
  routes.use(allowAddresses(config))
  mountPages(routes)
  routes.use('/admin', requireOwnPage(config.adminUrl), (_request, _response, next) => {
    if (!isStarted) throw new AppError('unavailable', 'The service is starting')
    next()
  })
  const server = () => serverOptions(config, routes)
  const context = await bootstrap(stack, { name, config, signal, server })
  const audit = stack.use(createAuditLog(context.db, context))
  const { sessions } = await startIdentity(stack, { context, config, audit, routes })
  const { authenticate } = sessions
  await startCalls(stack, { context, config, audit, authenticate, routes })
  isStarted = true
  context.markStarted()
  const app = stack.move()
  return {
    port: context.port,
    unfinished: context.unfinished,
    [Symbol.asyncDispose]: () => app.disposeAsync(),
  }
}

/** Options of the HTTP server of admin-ui: its routes, TLS, and trusted proxies. */
function serverOptions(config: Config, routes: Router): Partial<ServeOptions> {
  const { trustedProxies } = config
  return {
    mount: (app) => void app.use(routes),
    tls: tlsOptions(config),
    mayScrape: (request) => mayScrape(request, config),
    isExemptAddress: (address) =>
      trustedProxies.length > 0 && addressAllowed(trustedProxies, address),
  }
}
