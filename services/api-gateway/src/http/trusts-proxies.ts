import type { SettingsCache } from '@posthorn/db'
import { settleWithin } from '@posthorn/flow'
import type { RequestHandler } from 'express'

/** Maximum wait for the settings; beyond it the last value applies. */
const maxWaitMs = 250

/**
 * Returns whether trusted proxies are used, by the setting `enableApiProxy`. The setting can only
 * disable them; their addresses come from the environment.
 */
export function trustsProxies(settings: SettingsCache): () => Promise<boolean> {
  let isEnabled = true
  return async () => {
    const update = settings.get().then(({ enableApiProxy = true }) => {
      isEnabled = enableApiProxy
    })
    await settleWithin(update, maxWaitMs)
    return isEnabled
  }
}

/** Removes `X-Forwarded-For` while proxies are not trusted, so later handlers need no check. */
export function stripUntrustedHeaders(isTrusted: () => Promise<boolean>): RequestHandler {
  return async ({ headers }, _response, next) => {
    if (headers['x-forwarded-for'] !== undefined && !(await isTrusted()))
      delete headers['x-forwarded-for']
    next()
  }
}
