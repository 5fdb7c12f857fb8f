import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A client that says exactly what it is told to. */
export class RawClient {
  readonly socket: Socket
  #text = ''
  #closed = false
  #changed = Promise.withResolvers<void>()

  constructor(socket: Socket) {
    this.socket = socket
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

  /** All of 127.0.0.0/8 are this machine: each may play another client. */
  static async open(port: number, from = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  /** One that has been greeted and has said EHLO. */
  static async greeted(port: number, from?: string): Promise<RawClient> {
    const client = await RawClient.open(port, from)
    await client.reply()
    await client.command('EHLO client.example')
    return client
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Says it and returns the reply, its last line alone. */
  command(text: string): Promise<string> {
    this.send(`${text}\r\n`)
    return this.reply()
  }

  /** The last line of the next reply. */
  async reply(): Promise<string> {
    const [, line = ''] = await this.#until(/^(?:\d{3}-.*\r\n)*(\d{3} .*)\r\n/)
    return line
  }

  /** All lines of the next reply. */
  async wholeReply(): Promise<string> {
    const [all] = await this.#until(/^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/)
    return all
  }

  /** All up to the end of the connection. */
  async untilClosed(): Promise<string> {
    while (!this.#closed) await this.#change('the end')
    return this.#text
  }

  close(): void {
    this.socket.destroy()
  }

  async #until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#text)
      if (match) {
        this.#text = this.#text.slice(match[0].length)
        return match
      }
      if (this.#closed) throw new Error(`closed; had ${JSON.stringify(this.#text)}`)
      await this.#change(String(pattern))
    }
  }

  async #change(what: string): Promise<void> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`waited for ${what}; had ${JSON.stringify(this.#text)}`)),
      15_000,
    )
    await Promise.race([this.#changed.promise, late.promise]).finally(() => clearTimeout(timer))
  }
}
