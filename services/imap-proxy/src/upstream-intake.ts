import type { Socket } from 'node:net'
import type { SocketReader } from '@posthorn/net'
import type { LargePieces } from './large-pieces.ts'

/** For a session that waits: a line or two. */
const smallBytes = 256
/** So little is no part of a large answer, but perhaps the end of one. */
const littleBytes = 4_096
/** Less than this is copied: what a client has not taken yet holds no more memory than twice its size then. */
const copiedBytes = 32_768

/**
 * Reads from a mail server in the clear, without new memory for each piece: that costs more than all the rest, and what has just
 * been read is still in the processor's cache when it is written. A session that waits has a small piece of memory; once that is full,
 * a large one until less comes again.
 */
export class UpstreamIntake implements SocketReader {
  readonly #large: LargePieces
  readonly #small = Buffer.allocUnsafe(smallBytes)
  #memory: Buffer = this.#small
  #pass: ((piece: Buffer, done?: () => void) => boolean) | undefined

  constructor(large: LargePieces) {
    this.#large = large
  }

  nextBuffer(): Buffer {
    return this.#memory
  }

  /** Until `passTo`, what comes is read from the socket as from any other. */
  onBytes(piece: Buffer, socket: Socket): boolean {
    return this.#pass ? this.#pass(piece) : socket.push(Buffer.from(piece))
  }

  /** From now on all goes to the client at once. */
  passTo(client: Socket, saw: (piece: Buffer) => void): void {
    this.#pass = (piece) => {
      saw(piece)
      const full = piece.length === this.#memory.length
      const more =
        piece.length < copiedBytes ? client.write(Buffer.from(piece)) : this.#hand(piece, client)
      if (this.#memory === this.#small) {
        if (full) this.#memory = this.#large.take()
      } else if (piece.length < littleBytes) this.#shrink()
      return more
    }
  }

  /** Writes the memory itself. Where the system did not take all of it at once, it is the client's until it is written. */
  #hand(piece: Buffer, client: Socket): boolean {
    const memory = this.#memory
    let held = false
    const more = client.write(piece, () => {
      if (held) this.#large.giveBack(memory)
    })
    held = client.writableLength > 0
    if (held) this.#memory = this.#large.take()
    return more
  }

  #shrink(): void {
    this.#large.giveBack(this.#memory)
    this.#memory = this.#small
  }
}
