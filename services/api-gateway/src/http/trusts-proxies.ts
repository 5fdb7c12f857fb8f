import type { SettingsCache } from '@posthorn/db'
import { settleWithin } from '@posthorn/flow'
import type { RequestHandler } from 'express'

/**
 * Maximum wait of a request for the settings. After the wait, the last value of the setting
 * applies.
 */
const requestWaitMs = 250
/** Maximum wait of a scrape, which responds within 100 ms also without Postgres. */
export const scrapeWaitMs = 20

/** Returns whether trusted proxies are used, after a wait of at most `maxWaitMs`. */
export type TrustsProxies = (maxWaitMs?: number) => Promise<boolean>

/**
 * Returns whether trusted proxies are used, by the setting `enableApiProxy`. The setting can only
 * disable trusted proxies; their addresses come from the environment.
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

/** Removes `X-Forwarded-For` while proxies are not trusted, so later handlers need no check. */
export function stripUntrustedHeaders(isTrusted: TrustsProxies): RequestHandler {
  return async ({ headers }, _response, next) => {
    if (headers['x-forwarded-for'] !== undefined && !(await isTrusted()))
      delete headers['x-forwarded-for']
    next()
  }
}
