import type { Readable } from 'node:stream'
import { SmtpRejection } from './rejection.ts'

export const insufficientMemory = () =>
  new SmtpRejection('452 4.3.1', 'Insufficient system storage, try again later')

/**
 * Maximum duration of the transfer of one message by SMTP. Limits how long a slow client occupies
 * memory.
 */
const maxMs = 30 * 60_000

/** Limit of the bytes of messages in transfer from SMTP clients, with one permit per byte. */
export interface MessageMemory {
  /**
   * Acquires memory for a part of an SMTP message. Undefined if less memory than `bytes` is free.
   */
  tryAcquire(bytes: number): Disposable | undefined
}

export interface ReceiveLimits {
  /** Maximum size in bytes of a message that an SMTP client submits. */
  maxBytes: number
  memory: MessageMemory
  /** Period within which the SMTP client must make progress with the transfer of its message. */
  stallMs: number
}

/** Message received by SMTP. Disposal releases the message's share of the memory limit. */
export interface ReceivedMessage extends Disposable {
  message: Buffer
}

/**
 * Reads a message of an SMTP client to its end. A rejected message is read to its end as well,
 * because the reply follows the end of data.
 *
 * @throws SmtpRejection 552 for a message above `maxBytes`, 452 if memory is used up, 421 after
 * `maxMs` or a period of `stallMs` without progress
 */
export async function receive(
  stream: Readable,
  { maxBytes, memory, stallMs }: ReceiveLimits,
): Promise<ReceivedMessage> {
  const chunks: Buffer[] = []
  const permits: Disposable[] = []
  let bytes = 0
  let rejection: SmtpRejection | undefined
  const drop = () => {
    for (const permit of permits.splice(0)) permit[Symbol.dispose]()
    chunks.length = 0
  }
  const abort = () => stream.destroy(new SmtpRejection('421 4.4.2', 'The message took too long'))
  const timer = setTimeout(abort, maxMs)
  using stall = new StallTimer(stallMs, abort)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      stall.add(chunk.length)
      if (bytes > maxBytes)
        rejection = new SmtpRejection(
          '552 5.3.4',
          `Message exceeds the maximum size of ${maxBytes} bytes`,
        )
      const permit = rejection ? undefined : memory.tryAcquire(chunk.length)
      if (permit) {
        permits.push(permit)
        chunks.push(chunk)
      } else {
        rejection ??= insufficientMemory()
        drop()
      }
    }
    if (rejection) throw rejection
    const message = Buffer.concat(chunks)
    chunks.length = 0
    return { message, [Symbol.dispose]: drop }
  } catch (error) {
    drop()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Bytes that the transfer of a message by SMTP must deliver within each period of `stallMs`. A
 * modem of 1990 sends more.
 */
export const minStallBytes = 32 * 1024

/**
 * Timer of a message transfer by SMTP: calls `onStall` after a period with less than
 * `minStallBytes`, so that a client which stops or trickles does not occupy memory. Disposal stops
 * the timer.
 */
export class StallTimer implements Disposable {
  readonly #timer: NodeJS.Timeout
  #bytes = 0

  constructor(periodMs: number, onStall: () => void) {
    this.#timer = setInterval(() => {
      if (this.#bytes < minStallBytes) onStall()
      this.#bytes = 0
    }, periodMs)
  }

  /** Counts received bytes of a message transfer by SMTP. */
  add(bytes: number): void {
    this.#bytes += bytes
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
