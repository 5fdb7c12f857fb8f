import { abortable } from '@posthorn/flow'
import { ignore } from '../payload.ts'
import { chunkBytes, deadlineExceeded, windowChunks } from './frames.ts'

/**
 * Credit for an outgoing RPC stream: number of chunks that the reader can still accept. Waiting for
 * credit rejects with a timeout if the reader sends nothing for `idleMs`.
 */
export class Credit {
  #left = windowChunks
  #waiting: { resolve: () => void; reject: (reason: unknown) => void } | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #idleMs: number

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  /**
   * Adds chunks to the credit of an RPC stream. A call with 0 only records that the reader is
   * alive.
   */
  grant(chunks: number): void {
    this.#left = Math.min(windowChunks, this.#left + Math.max(0, Math.trunc(chunks)))
    if (!this.#waiting) return
    this.#startTimer()
    if (this.#left > 0) this.#waiting.resolve()
  }

  /**
   * Waits until the reader of an RPC stream can accept a chunk, and uses one unit of the credit.
   */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#left === 0) {
      const granted = Promise.withResolvers<void>()
      this.#waiting = granted
      this.#startTimer()
      try {
        await abortable(granted.promise, signal)
      } finally {
        this.#waiting = undefined
        clearTimeout(this.#timer)
      }
    }
    this.#left -= 1
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#waiting?.reject(deadlineExceeded()), this.#idleMs)
  }
}

export interface OutgoingStream {
  body: AsyncIterable<Uint8Array>
  credit: Credit
  signal: AbortSignal
  send: (number: number, chunk: Buffer) => void
}

/**
 * Sends the stream that follows an RPC reply. Reads from `body` only as many chunks as the reader
 * of the stream can accept. Returns the number of chunks. If the stream ends early, calls `return`
 * of the iterator of `body` without waiting for it.
 */
export async function sendStream({ body, credit, signal, send }: OutgoingStream): Promise<number> {
  const source = body[Symbol.asyncIterator]()
  let number = 0
  let isComplete = false
  try {
    for (;;) {
      const { done, value } = await abortable(source.next(), signal)
      if (done) break
      for (const piece of pieces(value)) {
        await credit.take(signal)
        send(number, piece)
        number += 1
      }
    }
    isComplete = true
    return number
  } finally {
    if (!isComplete) source.return?.().then(ignore, ignore)
  }
}

function* pieces(bytes: Uint8Array): Iterable<Buffer> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let from = 0; from < buffer.length; from += chunkBytes)
    yield buffer.subarray(from, from + chunkBytes)
}
