import type { Socket } from 'node:net'
import type { SocketReader } from '@posthorn/net/connect-socket'

const largeBytes = 65_536
/**
 * Maximum free buffers in the pool of 64 KiB buffers for IMAP sessions; further buffers are garbage
 * collected.
 */
const maxFree = 32

/** Pool of 64 KiB buffers for IMAP sessions that read large responses. */
export class BufferPool {
  readonly #free: Buffer[] = []

  acquire(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(largeBytes)
  }

  /** Returns a 64 KiB buffer to the pool. The caller must not use the buffer afterwards. */
  release(buffer: Buffer): void {
    if (this.#free.length < maxFree) this.#free.push(buffer)
  }
}

/** Size of the buffer of an idle IMAP session: one or two lines. */
const smallBytes = 256
/**
 * Read size, in bytes, below which a large response of the mail server counts as ended. The IMAP
 * session then returns to its small buffer.
 */
const shrinkBelowBytes = 4_096
/**
 * Read size, in bytes, below which bytes of the mail server are copied for the client. A slow
 * client therefore holds at most twice the unsent bytes.
 */
const copyBelowBytes = 32_768

/**
 * Reads plaintext bytes of a mail server into reused buffers. Allocating a buffer per read costs
 * more than the rest of the relay, and reused memory stays in the CPU cache. An idle IMAP session
 * has a small buffer; a full buffer is replaced by a large buffer until responses become short
 * again.
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

  /** Pushes bytes of the mail server into the stream of its socket until `relayTo` is called. */
  onBytes(bytes: Buffer, socket: Socket): boolean {
    return this.#relay ? this.#relay(bytes) : socket.push(Buffer.from(bytes))
  }

  /**
   * Relays all further bytes of the mail server to the client. Calls `onRelayed` with each chunk
   * before writing the chunk.
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
   * Writes bytes of the mail server to the client without a copy. If the operating system does not
   * accept all bytes, the client socket keeps the buffer.
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
