import type { Readable } from 'node:stream'
import { Refusal } from './refusal.ts'

/** What messages occupy that are on their way in, until they are stored: all sessions together. */
export class Buffered {
  readonly max: number
  bytes = 0

  constructor(max: number) {
    this.max = max
  }

  hasRoom(bytes: number): boolean {
    return this.bytes + bytes <= this.max
  }
}

export const noRoom = () => new Refusal('452 4.3.1', 'Insufficient system storage, try again later')

/** However slowly a message comes: nobody holds memory for longer. */
const maxMs = 30 * 60_000

/** A message that was read; dispose it when its bytes are not needed any more. */
export interface Received extends Disposable {
  message: Buffer
}

/**
 * Reads a message to its end, keeping no more than is allowed: the client is answered when it has said everything.
 *
 * @throws Refusal 552 for a message that is too long, 452 while too much is on its way in, 421 for one that does not come to its end.
 */
export async function receive(
  stream: Readable,
  maxBytes: number,
  buffered: Buffered,
): Promise<Received> {
  const chunks: Buffer[] = []
  let bytes = 0
  let held = 0
  let refusal: Refusal | undefined
  const drop = () => {
    buffered.bytes -= held
    held = 0
    chunks.length = 0
  }
  const timer = setTimeout(
    () => stream.destroy(new Refusal('421 4.4.2', 'The message took too long')),
    maxMs,
  )
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes)
        refusal = new Refusal('552 5.3.4', `Message exceeds the maximum size of ${maxBytes} bytes`)
      else if (!buffered.hasRoom(chunk.length)) refusal ??= noRoom()
      if (refusal) drop()
      else {
        chunks.push(chunk)
        held += chunk.length
        buffered.bytes += chunk.length
      }
    }
    if (refusal) throw refusal
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
