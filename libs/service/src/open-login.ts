import type { Bus } from '@posthorn/bus'
import { openLogin } from '@posthorn/contracts'
import { isLoginSealed } from '@posthorn/secrets'

/**
 * An address with the login in it opened; one without a sealed login is answered as it is.
 *
 * @throws AppError `unavailable` or `timeout` while auth-bridge cannot be asked, `internal` where no key opens the login
 */
export type OpenLogin = (address: string) => Promise<string>

const answerMs = 5_000
const maxKnown = 10_000

/** Asks auth-bridge for logins in addresses. What was opened is kept in memory, under the sealed one: that never means anything else. */
export function loginOpener(bus: Pick<Bus, 'ask'>): OpenLogin {
  const known = new Map<string, Promise<string>>()

  function ask(address: string): Promise<string> {
    const opened = bus
      .ask(openLogin, { address }, { key: 'credentials', timeoutMs: answerMs })
      .then((answer) => answer.address)
    opened.catch(() => known.delete(address))
    return opened
  }

  return async (address) => {
    const opened = known.get(address) ?? (isLoginSealed(address) ? ask(address) : undefined)
    if (opened === undefined) return address
    // Those used last are the last in order, and those that are forgotten the first.
    known.delete(address)
    known.set(address, opened)
    const [oldest] = known.size > maxKnown ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    return opened
  }
}
