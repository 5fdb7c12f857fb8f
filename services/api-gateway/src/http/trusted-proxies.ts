import type { SettingsCache } from '@posthorn/db'
import { settleWithin } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { RequestHandler } from 'express'

/**
 * Maximum wait of an HTTP request until the operator's settings are read. After this time, the last
 * known value of the setting `enableApiProxy` applies.
 */
const requestWaitMs = 250
/**
 * Maximum wait of a metrics scrape until the operator's settings are read, so that the scrape gets
 * a response within 100 ms even without Postgres.
 */
export const scrapeWaitMs = 20

/**
 * Returns whether trusted HTTP proxies may report client addresses, after a wait of at most
 * `maxWaitMs`.
 */
export type TrustsProxies = (maxWaitMs?: number) => Promise<boolean>

/**
 * Creates a function that returns whether trusted HTTP proxies may report client addresses, by the
 * setting `enableApiProxy`. The setting can only disable trusted proxies; their addresses come from
 * the environment.
 */
export function trustsProxies(settings: SettingsCache): TrustsProxies {
  let isEnabled = true
  return async (maxWaitMs = requestWaitMs) => {
    const update = settings.get().then(({ enableApiProxy = true }) => {
      isEnabled = enableApiProxy
    })
    await settleWithin(update, maxWaitMs)
    return isEnabled
  }
}

/**
 * Removes `X-Forwarded-For` from HTTP requests while no proxies are trusted, so later handlers need
 * no check.
 */
export function stripUntrustedHeaders(isTrusted: TrustsProxies): RequestHandler {
  return async ({ headers }, _response, next) => {
    if (headers['x-forwarded-for'] !== undefined && !(await isTrusted()))
      delete headers['x-forwarded-for']
    next()
  }
}

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
