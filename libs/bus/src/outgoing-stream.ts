import { chunkBytes, tooLate, windowChunks } from './wire.ts'
import { ignore, orAbort } from './waiting.ts'

/** How many chunks the reader has room for. Gives up when it says nothing for `idleMs`. */
export class Credit {
  #left = windowChunks
  #waiting: { resolve: () => void; reject: (reason: unknown) => void } | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #idleMs: number

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  /** The reader has room for so many more; 0: it is still there. */
  grant(chunks: number): void {
    this.#left = Math.min(windowChunks, this.#left + Math.max(0, Math.trunc(chunks)))
    if (!this.#waiting) return
    this.#startTimer()
    if (this.#left > 0) this.#waiting.resolve()
  }

  /** Takes the room of one chunk, as soon as there is one. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#left === 0) {
      const room = Promise.withResolvers<void>()
      this.#waiting = room
      this.#startTimer()
      try {
        await orAbort(room.promise, signal)
      } finally {
        this.#waiting = undefined
        clearTimeout(this.#timer)
      }
    }
    this.#left -= 1
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#waiting?.reject(tooLate()), this.#idleMs)
  }
}

export interface OutgoingStream {
  body: AsyncIterable<Uint8Array>
  credit: Credit
  signal: AbortSignal
  send: (number: number, chunk: Buffer) => void
}

/**
 * The sender's half of a stream: reads no further than the reader has room for. Returns the number of chunks.
 *
 * However it ends early, the body is told by `return`, and nothing waits for a body that hangs.
 */
export async function sendStream({ body, credit, signal, send }: OutgoingStream): Promise<number> {
  const source = body[Symbol.asyncIterator]()
  let number = 0
  let whole = false
  try {
    for (;;) {
      const { done, value } = await orAbort(source.next(), signal)
      if (done) break
      for (const piece of pieces(value)) {
        await credit.take(signal)
        send(number, piece)
        number += 1
      }
    }
    whole = true
    return number
  } finally {
    if (!whole) source.return?.().then(ignore, ignore)
  }
}

function* pieces(bytes: Uint8Array): Iterable<Buffer> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let from = 0; from < buffer.length; from += chunkBytes)
    yield buffer.subarray(from, from + chunkBytes)
}
