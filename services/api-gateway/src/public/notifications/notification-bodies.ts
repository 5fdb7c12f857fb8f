import { AppError } from '@posthorn/errors'
import { KeyedSemaphore, Semaphore } from '@posthorn/flow'
import { assertShape, readBody } from '@posthorn/http'
import { networkOf } from '@posthorn/net/addresses'
import type { Request } from 'express'

/**
 * Maximum sizes: of one notification body, of all bodies in memory, and of all bodies of one
 * address in memory.
 */
const maxBodyBytes = 1024 * 1024
const maxBytesInMemory = 64 * maxBodyBytes
const maxBytesOfAddress = 8 * maxBodyBytes
/**
 * Maximum JSON members and elements of a notification body: 1,000 notifications with 20 members
 * each.
 */
const maxValues = 50_000

export interface NotificationBodiesOptions {
  timeoutMs: number
  addressOf: (request: Request) => string
}

/** Reader of the bodies of provider notifications. Limits the bytes of bodies in memory. */
export class NotificationBodies {
  readonly #memory = new Semaphore(maxBytesInMemory)
  readonly #byAddress = new KeyedSemaphore(maxBytesOfAddress)
  readonly #options: NotificationBodiesOptions

  constructor(options: NotificationBodiesOptions) {
    this.#options = options
  }

  /**
   * Reads a notification body of up to 1 MiB and passes the body to `work`.
   *
   * @throws BodyError; AppError `invalid` for JSON with too many values, and `unavailable` without
   * waiting if too many bodies of the address, or of all addresses, are in memory
   */
  async use<T>(request: Request, work: (body: string) => Promise<T>): Promise<T> {
    const { addressOf, timeoutMs } = this.#options
    const length = request.headers['content-length']
    // The length of a chunked notification body is unknown, so the maximum is assumed.
    const announced = length === undefined ? maxBodyBytes : Number(length)
    const weight = Math.max(1, Math.min(announced, maxBodyBytes))
    using share = this.#byAddress.tryAcquire(networkOf(addressOf(request)), weight)
    using permit = share && this.#memory.tryAcquire(weight)
    if (!permit) throw new AppError('unavailable', 'Too many notifications, retry later')
    const bytes = await readBody(request, { maxBytes: maxBodyBytes, timeoutMs })
    assertShape(bytes, maxValues)
    return await work(bytes.toString('utf8'))
  }
}
