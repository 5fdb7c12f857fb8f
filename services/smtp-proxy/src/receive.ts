import type { Readable } from 'node:stream'
import type { Semaphore } from '@posthorn/flow'
import { SmtpRejection } from './rejection.ts'

export const insufficientMemory = () =>
  new SmtpRejection('452 4.3.1', 'Insufficient system storage, try again later')

/** Maximum duration of a transfer. Limits how long a slow client occupies memory. */
const maxMs = 30 * 60_000

/** Received message. Disposal releases its share of the memory limit. */
export interface ReceivedMessage extends Disposable {
  message: Buffer
}

/**
 * Reads a message to its end. `memory` has one permit per byte of all messages in transfer. Reads
 * a rejected message to its end as well, because the reply follows the end of data.
 *
 * @throws SmtpRejection 552 for a message above `maxBytes`, 452 if memory is used up, 421 after
 * `maxMs`
 */
export async function receive(
  stream: Readable,
  maxBytes: number,
  memory: Semaphore,
): Promise<ReceivedMessage> {
  const chunks: Buffer[] = []
  const permits: Disposable[] = []
  let bytes = 0
  let rejection: SmtpRejection | undefined
  const drop = () => {
    for (const permit of permits.splice(0)) permit[Symbol.dispose]()
    chunks.length = 0
  }
  const timer = setTimeout(
    () => stream.destroy(new SmtpRejection('421 4.4.2', 'The message took too long')),
    maxMs,
  )
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
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
