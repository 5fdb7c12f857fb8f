import { type Operation, operations } from '@posthorn/contracts'
import type { SettingsCache } from '@posthorn/db'
import { cors, type HttpServer, serve, type ServeOptions, type TlsOptions } from '@posthorn/http'
import { readCertificate } from '@posthorn/service'
import { type RequestHandler, Router } from 'express'
import type { Config } from '../config.ts'
import { trustsProxies, stripUntrustedHeaders } from './trusts-proxies.ts'
import type { HttpServerConfig } from './http-server-config.ts'
import { mayScrape } from './scrapers.ts'

/** Request headers allowed for other origins, besides those of operations. */
const commonHeaders = ['authorization', 'content-type', 'x-request-id']

/** Response headers readable for other origins. */
const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'Content-Disposition',
  'Retry-After',
  'WWW-Authenticate',
]

export interface HttpServerOptions extends Pick<ServeOptions, 'log' | 'metrics' | 'checks'> {
  config: Pick<Config, 'host' | 'port' | 'httpServer'>
  settings: SettingsCache
  /** Handler of all requests. */
  api: RequestHandler
}

/** Starts the HTTP server with TLS, CORS and proxy trust from environment and settings. */
export function startHttpServer({
  config,
  settings,
  api,
  ...options
}: HttpServerOptions): Promise<HttpServer> {
  const { host, port, httpServer } = config
  const isTrusted = trustsProxies(settings)
  return serve({
    ...options,
    host,
    port,
    mount: (app) => void app.use(stripUntrustedHeaders(isTrusted), api),
    maxConnections: httpServer.maxConnections,
    mayScrape: async (request) =>
      mayScrape(request, (await isTrusted()) ? httpServer : { ...httpServer, trustedProxies: [] }),
    crossOrigin: crossOrigin(httpServer),
    tls: tlsOf(httpServer),
  })
}

/** CORS for the API and its document. `/admin` and public pages are not available to origins. */
function crossOrigin({
  corsOrigins,
  corsMaxAgeSeconds,
}: HttpServerConfig): RequestHandler | undefined {
  if (corsOrigins.length === 0) return undefined
  const all: Operation[] = Object.values(operations)
  const operationHeaders = all.flatMap(({ headers }) => Object.keys(headers?.properties ?? {}))
  const policy = cors({
    origins: corsOrigins,
    maxAgeSeconds: corsMaxAgeSeconds,
    methods: [...new Set(all.map(({ method }) => method.toUpperCase()))],
    requestHeaders: [...new Set([...commonHeaders, ...operationHeaders])],
    responseHeaders: exposedHeaders,
  })
  return Router({ caseSensitive: true }).use(['/v1', '/openapi.json'], policy)
}

function tlsOf({ tlsCert, tlsKey }: HttpServerConfig): TlsOptions | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  return {
    async readCertificate() {
      const certificate = await readCertificate(tlsCert, tlsKey)
      if (!certificate) throw new Error('SVC_TLS_CERT contains no certificate')
      return { cert: certificate.cert, key: certificate.key }
    },
  }
}
