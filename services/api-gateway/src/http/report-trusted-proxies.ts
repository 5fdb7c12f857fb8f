import type { Logger } from '@posthorn/telemetry'

/**
 * Logs which proxies are trusted to report the address of a client. Without trusted proxies, all
 * clients behind a proxy share the address of the proxy. Rate limits, connection limits and address
 * restrictions of tokens then apply to the proxy.
 */
export function reportTrustedProxies(
  log: Pick<Logger, 'info'>,
  trustedProxies: readonly string[],
): void {
  if (trustedProxies.length === 0) log.info('no proxy is trusted, X-Forwarded-For is ignored')
  else log.info({ trustedProxies }, 'X-Forwarded-For of trusted proxies is used')
}
