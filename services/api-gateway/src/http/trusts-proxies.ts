import { setTimeout as delay } from 'node:timers/promises'
import type { SettingsCache } from '@posthorn/db'
import type { RequestHandler } from 'express'

/** A request does not wait longer than this for Postgres to say what is set; then the last that was known holds. */
const maxWaitMs = 250

/**
 * Whether what proxies say of a client counts now, as the setting `enableApiProxy` has it. It only ever takes away: who is believed is
 * for the environment to say.
 */
export function trustsProxies(settings: SettingsCache): () => Promise<boolean> {
  let believes = true
  return async () => {
    const asked = settings.get().then(
      ({ enableApiProxy = true }) => {
        believes = enableApiProxy
      },
      () => undefined,
    )
    await Promise.race([asked, delay(maxWaitMs, undefined, { ref: false })])
    return believes
  }
}

/** Takes away what proxies say of a client where it does not count: nobody further in has to know of that. */
export function stripUntrustedHeaders(believes: () => Promise<boolean>): RequestHandler {
  return async ({ headers }, _response, next) => {
    if (headers['x-forwarded-for'] !== undefined && !(await believes()))
      delete headers['x-forwarded-for']
    next()
  }
}
