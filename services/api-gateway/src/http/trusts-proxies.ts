import { setTimeout as delay } from 'node:timers/promises'
import type { SettingsCache } from '@posthorn/db'
import type { RequestHandler } from 'express'

/** Maximum wait for the settings; beyond it the last value applies. */
const maxWaitMs = 250

/**
 * Returns whether trusted proxies are honoured, as the setting `enableApiProxy` says. The setting
 * can only disable them; their addresses come from the environment.
 */
export function trustsProxies(settings: SettingsCache): () => Promise<boolean> {
  let isEnabled = true
  return async () => {
    const update = settings.get().then(
      ({ enableApiProxy = true }) => {
        isEnabled = enableApiProxy
      },
      () => undefined,
    )
    await Promise.race([update, delay(maxWaitMs, undefined, { ref: false })])
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
