import type { Socket } from 'node:net'
import type { SocketReader } from '@posthorn/net/connect-socket'

const largeBytes = 65_536
/** Maximum free buffers in the pool; further buffers are garbage collected. */
const maxFree = 32

/** Pool of 64 KiB buffers for sessions that read large responses. */
export class BufferPool {
  readonly #free: Buffer[] = []

  acquire(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(largeBytes)
  }

  /** Returns a buffer. The caller must not use it afterwards. */
  release(buffer: Buffer): void {
    if (this.#free.length < maxFree) this.#free.push(buffer)
  }
}

/** Buffer of an idle session: one or two lines. */
const smallBytes = 256
/** A read below this size ends a large response, so the session returns to its small buffer. */
const shrinkBelowBytes = 4_096
/** Reads below this size are copied, so a slow client holds at most twice the unsent bytes. */
const copyBelowBytes = 32_768

/**
 * Reads plaintext bytes of a mail server into reused buffers. Allocating a buffer per read costs
 * more than the rest of the relay, and reused memory stays in the CPU cache. An idle session has a
 * small buffer; a full buffer is replaced by a large buffer until responses become short again.
 */
export class UpstreamReader implements SocketReader {
  readonly #buffers: BufferPool
  readonly #small = Buffer.allocUnsafe(smallBytes)
  #buffer: Buffer = this.#small
  #relay: ((bytes: Buffer) => boolean) | undefined

  constructor(buffers: BufferPool) {
    this.#buffers = buffers
  }

  nextBuffer(): Buffer {
    return this.#buffer
  }

  /** Pushes bytes into the socket's own stream until `relayTo` is called. */
  onBytes(bytes: Buffer, socket: Socket): boolean {
    return this.#relay ? this.#relay(bytes) : socket.push(Buffer.from(bytes))
  }

  /**
   * Writes all further bytes to the client. Calls `onRelayed` with each chunk before writing the
   * chunk.
   */
  relayTo(client: Socket, onRelayed: (bytes: Buffer) => void): void {
    this.#relay = (bytes) => {
      onRelayed(bytes)
      const full = bytes.length === this.#buffer.length
      const more =
        bytes.length < copyBelowBytes
          ? client.write(Buffer.from(bytes))
          : this.#writeBuffer(bytes, client)
      if (this.#buffer === this.#small) {
        if (full) this.#buffer = this.#buffers.acquire()
      } else if (bytes.length < shrinkBelowBytes) this.#shrink()
      return more
    }
  }

  /**
   * Writes without a copy. If the system does not accept all bytes, the client keeps the buffer.
   */
  #writeBuffer(bytes: Buffer, client: Socket): boolean {
    const buffer = this.#buffer
    let isQueued = false
    const more = client.write(bytes, () => {
      if (isQueued) this.#buffers.release(buffer)
    })
    isQueued = client.writableLength > 0
    if (isQueued) this.#buffer = this.#buffers.acquire()
    return more
  }

  #shrink(): void {
    this.#buffers.release(this.#buffer)
    this.#buffer = this.#small
  }
}
