import { isIP } from 'node:net'
import type { SettingsCache } from '@posthorn/db'

export interface KnownHostsOptions {
  settings: Pick<SettingsCache, 'get'>
  /** Further host names of this server, in lower case. */
  allowedHosts: readonly string[]
}

/** True if a Host header names this server. */
export type IsKnownHost = (host: string | undefined) => Promise<boolean>

/**
 * Creates a check of the Host header that stops DNS rebinding: a web page whose own name resolves
 * to this server is not cross-origin, but sends that name. IP addresses are accepted, because they
 * are not resolved, and so are `localhost` and the host of `serviceUrl`.
 */
export function createKnownHosts({ settings, allowedHosts }: KnownHostsOptions): IsKnownHost {
  const fixed = new Set(['localhost', ...allowedHosts])
  return async (host) => {
    const name = hostNameOf(host ?? '')
    if (name === undefined) return false
    if (fixed.has(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0) return true
    const { serviceUrl } = await settings.get()
    return serviceUrl !== undefined && hostNameOf(URL.parse(serviceUrl)?.host ?? '') === name
  }
}

/** Name without the port, in lower case. Undefined for anything but `name` or `name:port`. */
export function hostNameOf(host: string): string | undefined {
  return /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined
}
