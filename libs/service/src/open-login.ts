import type { Bus } from '@posthorn/bus'
import { openLogin } from '@posthorn/contracts'
import { isLoginSealed } from '@posthorn/secrets'
import { Recent } from './recent.ts'

/**
 * An address with the login in it opened; one without a sealed login is answered as it is.
 *
 * @throws AppError `unavailable` or `timeout` while auth-bridge cannot be asked, `internal` where no key opens the login
 */
export type OpenLogin = (address: string) => Promise<string>

const answerMs = 5_000
/** Some ten thousands of usual length. */
const maxCharacters = 16_000_000

/** Asks auth-bridge for logins in addresses. What was opened is kept in memory, under the sealed one: that never means anything else. */
export function loginOpener(bus: Pick<Bus, 'ask'>): OpenLogin {
  const known = new Recent<Promise<string>>(maxCharacters)

  function ask(address: string): Promise<string> {
    const opened = bus
      .ask(openLogin, { address }, { key: 'credentials', timeoutMs: answerMs })
      .then((answer) => answer.address)
    known.set(address, opened)
    opened.catch(() => known.delete(address))
    return opened
  }

  return async (address) => known.get(address) ?? (isLoginSealed(address) ? ask(address) : address)
}
