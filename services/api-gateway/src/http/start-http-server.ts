import { type Operation, operations } from '@posthorn/contracts'
import type { SettingsCache } from '@posthorn/db'
import { cors, type HttpServer, serve, type ServeOptions, type TlsOptions } from '@posthorn/http'
import { readCertificate } from '@posthorn/service'
import { type RequestHandler, Router } from 'express'
import type { Config } from '../config.ts'
import { trustsProxies, stripUntrustedHeaders } from './trusts-proxies.ts'
import type { HttpServerConfig } from './http-server-config.ts'
import { mayScrape } from './scrapers.ts'

/** What pages may send beside the headers that operations name. */
const usualHeaders = ['authorization', 'content-type', 'x-request-id']

/** What pages may read of an answer. */
const shownHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'Content-Disposition',
  'Retry-After',
  'WWW-Authenticate',
]

export interface HttpServerOptions extends Pick<ServeOptions, 'log' | 'metrics' | 'checks'> {
  config: Pick<Config, 'host' | 'port' | 'door'>
  settings: SettingsCache
  /** What lies behind the door. */
  api: RequestHandler
}

/** Meets clients as the environment and the settings have it. */
export function startHttpServer({
  config,
  settings,
  api,
  ...ground
}: HttpServerOptions): Promise<HttpServer> {
  const { host, port, door } = config
  const believes = trustsProxies(settings)
  return serve({
    ...ground,
    host,
    port,
    mount: (app) => void app.use(stripUntrustedHeaders(believes), api),
    maxConnections: door.maxConnections,
    mayScrape: async (request) =>
      mayScrape(request, (await believes()) ? door : { ...door, trustedProxies: [] }),
    crossOrigin: crossOrigin(door),
    tls: tlsOf(door),
  })
}

/** Pages call the API and read its document. What operators do under `/admin`, and what links lead to, is not for pages of others. */
function crossOrigin({
  corsOrigins,
  corsMaxAgeSeconds,
}: HttpServerConfig): RequestHandler | undefined {
  if (corsOrigins.length === 0) return undefined
  const all: Operation[] = Object.values(operations)
  const named = all.flatMap(({ headers }) => Object.keys(headers?.properties ?? {}))
  const policy = cors({
    origins: corsOrigins,
    maxAgeSeconds: corsMaxAgeSeconds,
    methods: [...new Set(all.map(({ method }) => method.toUpperCase()))],
    requestHeaders: [...new Set([...usualHeaders, ...named])],
    responseHeaders: shownHeaders,
  })
  return Router({ caseSensitive: true }).use(['/v1', '/openapi.json'], policy)
}

function tlsOf({ tlsCert, tlsKey }: HttpServerConfig): TlsOptions | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  return {
    async readCertificate() {
      const found = await readCertificate(tlsCert, tlsKey)
      if (!found) throw new Error('there is no certificate')
      return { cert: found.cert, key: found.key }
    },
  }
}
