import type { Bus } from '@posthorn/bus'
import { unsealHeader } from '@posthorn/contracts'
import { type HeaderPlace, isHeaderSealed } from '@posthorn/secrets'
import { Opened, openMs } from './opened.ts'

export type { HeaderOwner } from '@posthorn/secrets'

/**
 * The value of a custom header in the clear; one that is not sealed is answered as it is.
 *
 * @throws AppError `unavailable` or `timeout` while auth-bridge cannot be asked, `internal` where no key opens it for that owner and name
 */
export type OpenHeader = (header: HeaderPlace & { value: string }) => Promise<string>

/** Asks auth-bridge for values of headers. What was opened is kept in memory, for the place it was opened for and no other. */
export function headerOpener(bus: Pick<Bus, 'request'>): OpenHeader {
  const opened = new Opened()
  const ask = ({ owner, key, value }: HeaderPlace & { value: string }) =>
    bus
      .request(unsealHeader, { owner, key, value }, { key: 'credentials', timeoutMs: openMs })
      .then((answer) => answer.value)

  return async (header) => {
    const name = `${header.owner}\0${header.key}\0${header.value}`
    const known = opened.get(name)
    if (known) return known
    return isHeaderSealed(header.value) ? opened.keep(name, ask(header)) : header.value
  }
}
