import type { Bus } from '@posthorn/bus'
import { unsealHeader } from '@posthorn/contracts/commands/credentials'
import { type HeaderSealContext, isHeaderSealed } from '@posthorn/secrets'
import { UnsealCache, unsealTimeoutMs } from './unseal-cache.ts'

type SealedHeader = HeaderSealContext & { value: string }

/**
 * Function that unseals (decrypts) the value of a custom webhook header. A value that is not sealed
 * is returned unchanged.
 *
 * @throws AppError `unavailable` or `timeout` while auth-bridge cannot be reached, `internal` if no
 * key unseals the value for the given owner and name of the header
 */
export type UnsealHeader = (header: SealedHeader) => Promise<string>

/**
 * Creates a function that has auth-bridge unseal (decrypt) the values of webhook headers. A cached
 * value is returned only for the owner and name for which the value was sealed.
 */
export function createHeaderUnsealer(bus: Pick<Bus, 'request'>): UnsealHeader {
  const cache = new UnsealCache()
  const request = async ({ owner, key, value }: SealedHeader) => {
    const options = { key: 'credentials', timeoutMs: unsealTimeoutMs }
    return (await bus.request(unsealHeader, { owner, key, value }, options)).value
  }
  return async (header) => {
    const { owner, key, value } = header
    const name = `${owner}\0${key}\0${value}`
    return (
      cache.get(name) ?? (isHeaderSealed(value) ? cache.load(name, () => request(header)) : value)
    )
  }
}
