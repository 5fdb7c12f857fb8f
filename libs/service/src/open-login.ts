import type { Bus } from '@posthorn/bus'
import { unsealLogin } from '@posthorn/contracts'
import { isLoginSealed } from '@posthorn/secrets'
import { Opened, openMs } from './opened.ts'

/**
 * An address with the login in it opened; one without a sealed login is answered as it is.
 *
 * @throws AppError `unavailable` or `timeout` while auth-bridge cannot be asked, `internal` where no key opens the login
 */
export type OpenLogin = (address: string) => Promise<string>

/** Asks auth-bridge for logins in addresses. What was opened is kept in memory, under the sealed one: that never means anything else. */
export function loginOpener(bus: Pick<Bus, 'request'>): OpenLogin {
  const opened = new Opened()
  const ask = (address: string) =>
    bus
      .request(unsealLogin, { address }, { key: 'credentials', timeoutMs: openMs })
      .then((answer) => answer.address)

  return async (address) => {
    const known = opened.get(address)
    if (known) return known
    return isLoginSealed(address) ? opened.keep(address, ask(address)) : address
  }
}
