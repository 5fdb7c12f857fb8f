import { bootstrap } from '@posthorn/service/bootstrap'
import type { App } from '@posthorn/service/run'
import { Router } from 'express'
import type { Config } from './config.ts'

const name = 'admin-ui'

/** Started service of the administration pages, with the port of its HTTP server. */
export interface AdminUi extends App {
  readonly port: number
}

/** Starts admin-ui. Disposal ends open streams and closes all resources in reverse order. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AdminUi> {
  await using stack = new AsyncDisposableStack()
  const routes = Router({ caseSensitive: true })
  const server = () => ({
    mount: (app: { use: (router: Router) => unknown }) => void app.use(routes),
  })
  const context = await bootstrap(stack, { name, config, signal, server })
  context.markStarted()
  const app = stack.move()
  return {
    port: context.port,
    unfinished: context.unfinished,
    [Symbol.asyncDispose]: () => app.disposeAsync(),
  }
}
