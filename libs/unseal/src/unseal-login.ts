import type { Bus } from '@posthorn/bus'
import { unsealLogin } from '@posthorn/contracts/commands/credentials'
import { isLoginSealed } from '@posthorn/secrets'
import { UnsealCache, unsealTimeoutMs } from './unseal-cache.ts'

/**
 * Function that unseals (decrypts) the login in the URL of a webhook or proxy. A URL without a
 * sealed login is returned unchanged.
 *
 * @throws AppError `unavailable` or `timeout` while auth-bridge cannot be reached, `internal` if no
 * key unseals the login
 */
export type UnsealLogin = (address: string) => Promise<string>

/**
 * Creates a function that has auth-bridge unseal (decrypt) the logins in URLs. The function caches
 * decrypted URLs by their sealed form.
 */
export function createLoginUnsealer(bus: Pick<Bus, 'request'>): UnsealLogin {
  const cache = new UnsealCache()
  const request = async (address: string) => {
    const options = { key: 'credentials', timeoutMs: unsealTimeoutMs }
    return (await bus.request(unsealLogin, { address }, options)).address
  }
  return async (address) =>
    cache.get(address) ??
    (isLoginSealed(address) ? cache.load(address, () => request(address)) : address)
}
