import type { Readable } from 'node:stream'
import { Refusal } from './refusal.ts'

/** What messages that are on their way in occupy, all sessions together. */
export class Buffered {
  readonly max: number
  bytes = 0

  constructor(max: number) {
    this.max = max
  }
}

/**
 * Reads a message to its end, keeping no more than is allowed: the client is answered when it has said everything.
 *
 * @throws Refusal 552 for a message that is too long, 451 while too much is on its way in.
 */
export async function receive(
  stream: Readable,
  maxBytes: number,
  buffered: Buffered,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  let refusal: Refusal | undefined
  const drop = () => {
    buffered.bytes -= chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    chunks.length = 0
  }
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes)
        refusal = new Refusal(552, `Message exceeds the maximum size of ${maxBytes} bytes`)
      else if (buffered.bytes + chunk.length > buffered.max)
        refusal ??= new Refusal(451, 'Too busy, try again later')
      if (refusal) drop()
      else {
        chunks.push(chunk)
        buffered.bytes += chunk.length
      }
    }
    if (refusal) throw refusal
    return Buffer.concat(chunks)
  } finally {
    drop()
  }
}
