import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Client of a line protocol for tests: sends exactly the given bytes and waits for given text. */
export class RawClient {
  socket: Socket
  #text = ''
  #closed = false
  #changed = Promise.withResolvers<void>()

  constructor(socket: Socket) {
    this.socket = socket
    this.#listen(socket)
  }

  /**
   * Connects from `from`. All of 127.0.0.0/8 are local addresses, so each can stand for another
   * client. The client can still write after the server has ended its side.
   */
  static async open<Client>(
    this: new (socket: Socket) => Client,
    port: number,
    from = '127.0.0.1',
  ): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true })
    await once(socket, 'connect')
    return new this(socket)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Text that was received and not read yet. */
  get text(): string {
    return this.#text
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Waits for a match. Returns all text up to its end. */
  async until(pattern: RegExp, timeoutMs = 25_000): Promise<string> {
    const deadline = AbortSignal.timeout(timeoutMs)
    for (;;) {
      const match = pattern.exec(this.#text)
      if (match) {
        const end = match.index + match[0].length
        const read = this.#text.slice(0, end)
        this.#text = this.#text.slice(end)
        return read
      }
      if (this.#closed)
        throw new Error(`closed before ${pattern}; had ${JSON.stringify(this.#text)}`)
      await Promise.race([
        this.#changed.promise,
        aborted(deadline, `waited for ${pattern}; had ${JSON.stringify(this.#text.slice(-500))}`),
      ])
    }
  }

  /** Waits for the end of the connection. Returns all text before it. */
  async untilClosed(timeoutMs = 25_000): Promise<string> {
    const deadline = AbortSignal.timeout(timeoutMs)
    while (!this.#closed)
      await Promise.race([this.#changed.promise, aborted(deadline, 'still open')])
    return this.#text
  }

  async startTls(ca: string): Promise<void> {
    this.socket.removeAllListeners('data')
    const secure = connectTls({
      socket: this.socket,
      ca,
      servername: 'localhost',
      checkServerIdentity: () => undefined,
    })
    await once(secure, 'secureConnect')
    this.socket = secure
    this.#listen(secure)
  }

  close(): void {
    this.socket.destroy()
  }

  #listen(socket: Socket): void {
    const changed = () => {
      this.#changed.resolve()
      this.#changed = Promise.withResolvers()
    }
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1')
      changed()
    })
    socket.on('error', () => undefined)
    for (const event of ['end', 'close'] as const)
      socket.on(event, () => {
        this.#closed = true
        changed()
      })
  }
}

function aborted(signal: AbortSignal, text: string): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(text)), { once: true })
  })
}
