import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/**
 * Test client of a text protocol, such as IMAP, SMTP or HTTP. Sends exactly the given bytes and
 * waits for given text.
 */
export class RawClient {
  socket: Socket
  #text = ''
  #closed = false
  readonly #changes = new EventEmitter()

  constructor(socket: Socket) {
    this.socket = socket
    this.#listen(socket)
  }

  /**
   * Connects to a server with the source address `from`. All of 127.0.0.0/8 are local addresses, so
   * each address can stand for another client. The client can still write after the server has
   * ended its side.
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

  /** Text received by the test client that has not been read yet. */
  get text(): string {
    return this.#text
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /**
   * Waits until the text that the test client has received matches the pattern. Returns the text up
   * to the end of the match.
   */
  async until(pattern: RegExp, timeoutMs = 90_000): Promise<string> {
    let match = pattern.exec(this.#text)
    for (const timeout = AbortSignal.timeout(timeoutMs); !match; match = pattern.exec(this.#text)) {
      if (this.#closed)
        throw new Error(`closed before ${pattern}; had ${JSON.stringify(this.#text)}`)
      await this.#change(timeout, `${pattern} expected`)
    }
    const end = match.index + match[0].length
    const read = this.#text.slice(0, end)
    this.#text = this.#text.slice(end)
    return read
  }

  /**
   * Waits until the server ends the connection of the test client. Returns the text received before
   * the end.
   */
  async untilClosed(timeoutMs = 90_000): Promise<string> {
    const timeout = AbortSignal.timeout(timeoutMs)
    while (!this.#closed) await this.#change(timeout, 'end of the connection expected')
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

  /** Resolves when the test client has received more text or its connection has ended. */
  async #change(timeout: AbortSignal, expected: string): Promise<void> {
    await once(this.#changes, 'change', { signal: timeout }).catch((cause: unknown) => {
      throw new Error(`${expected}; had ${JSON.stringify(this.#text.slice(-500))}`, { cause })
    })
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1')
      this.#changes.emit('change')
    })
    socket.on('error', () => undefined)
    for (const event of ['end', 'close'] as const)
      socket.on(event, () => {
        this.#closed = true
        this.#changes.emit('change')
      })
  }
}
