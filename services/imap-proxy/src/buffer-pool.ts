const bufferBytes = 65_536
/** Maximum number of free buffers kept; further ones are garbage collected. */
const maxFree = 32

/** Pool of 64 KiB buffers for sessions that read large responses. */
export class BufferPool {
  readonly #free: Buffer[] = []

  acquire(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes)
  }

  /** Returns a buffer. The caller must not use it afterwards. */
  release(buffer: Buffer): void {
    if (this.#free.length < maxFree) this.#free.push(buffer)
  }
}
