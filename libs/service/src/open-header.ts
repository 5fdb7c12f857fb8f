import type { Bus } from '@posthorn/bus'
import { openHeader } from '@posthorn/contracts'
import { type HeaderPlace, isHeaderSealed } from '@posthorn/secrets'
import { Recent } from './recent.ts'

export type { HeaderOwner } from '@posthorn/secrets'

/**
 * The value of a custom header in the clear; one that is not sealed is answered as it is.
 *
 * @throws AppError `unavailable` or `timeout` while auth-bridge cannot be asked, `internal` where no key opens it for that owner and name
 */
export type OpenHeader = (header: HeaderPlace & { value: string }) => Promise<string>

const answerMs = 5_000
/** Some ten thousands of usual length, or a thousand of the longest. */
const maxCharacters = 16_000_000

interface Known extends HeaderPlace {
  opened: Promise<string>
}

/** Asks auth-bridge for values of headers. What was opened is kept in memory, for the place it was opened for and no other. */
export function headerOpener(bus: Pick<Bus, 'ask'>): OpenHeader {
  const known = new Recent<Known>(maxCharacters)

  function ask({ owner, key, value }: HeaderPlace & { value: string }): Promise<string> {
    const opened = bus
      .ask(openHeader, { owner, key, value }, { key: 'credentials', timeoutMs: answerMs })
      .then((answer) => answer.value)
    known.set(value, { owner, key, opened })
    opened.catch(() => known.delete(value))
    return opened
  }

  return async (header) => {
    const found = known.get(header.value)
    if (found && found.owner === header.owner && found.key === header.key) return found.opened
    return isHeaderSealed(header.value) ? ask(header) : header.value
  }
}
