import type { Logger } from '@posthorn/telemetry'

/**
 * Logs which proxies name the address of a client. Without them, all clients behind a proxy share
 * its address: rate limits, connection limits and address restrictions of tokens then apply to it.
 */
export function reportTrustedProxies(
  log: Pick<Logger, 'info'>,
  trustedProxies: readonly string[],
): void {
  if (trustedProxies.length === 0) log.info('no proxy is trusted, X-Forwarded-For is ignored')
  else log.info({ trustedProxies }, 'X-Forwarded-For of trusted proxies is used')
}
