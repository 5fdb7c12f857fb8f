import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { plainAddress } from '@posthorn/mail-frontend'
import { ignoreErrors } from './ignore-errors.ts'
import { CommandParser, type Input } from './parser.ts'
import { readMore } from './read-more.ts'

/** The mail client's side, as lines, until it is logged in. */
export class Client {
  /** Where it comes from, as far as is known. */
  address: string
  #socket: Socket
  #parser = new CommandParser()

  constructor(socket: Socket) {
    this.#socket = socket
    this.address = plainAddress(socket.remoteAddress)
    socket.on('error', ignoreErrors)
  }

  get socket(): Socket {
    return this.#socket
  }

  get secure(): boolean {
    return this.#socket instanceof TLSSocket
  }

  get gone(): boolean {
    return this.#socket.destroyed || !this.#socket.writable
  }

  /** What the client says next; undefined when it has gone. */
  async next(): Promise<Input | undefined> {
    for (;;) {
      if (this.gone) return undefined
      const input = this.#parser.next()
      if (input) return input
      if (!(await this.#read())) return undefined
    }
  }

  /** A line that is no command; undefined when the client has gone or says too much. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const line = this.#parser.line()
      if (line !== null) return line
      if (!(await this.#read())) return undefined
    }
  }

  /** Whether bytes have come that were not read as commands yet. */
  get hasMore(): boolean {
    return this.#parser.pending > 0 || this.#socket.readableLength > 0
  }

  write(...lines: string[]): void {
    if (!this.gone) this.#socket.write(`${lines.join('\r\n')}\r\n`)
  }

  /** Says goodbye and closes; a client that does not take note is cut off. */
  end(text?: string): void {
    if (text !== undefined) this.write(`* BYE ${text}`)
    this.#socket.end()
    this.#socket.resume()
    const socket = this.#socket
    setTimeout(() => socket.destroy(), 1_000).unref()
  }

  /** Closes without a word. */
  cut(): void {
    this.#socket.destroy()
  }

  /** The bytes the client has sent beyond its login. */
  takeRest(): Buffer {
    return this.#parser.takeRest()
  }

  /**
   * Goes over to TLS; false where that fails. What was sent in the clear before it may be anybody's, and is forgotten
   * (RFC 9051 §6.2.1).
   */
  async startTls(secureContext: SecureContext): Promise<boolean> {
    this.#parser = new CommandParser()
    const secure = new TLSSocket(this.#socket, {
      isServer: true,
      secureContext,
      ALPNProtocols: ['imap'],
    })
    secure.on('error', ignoreErrors)
    this.#socket = secure
    return new Promise((resolve) => {
      const onSecure = () => settle(true)
      const onClose = () => settle(false)
      // Nothing of it is kept while the session lasts.
      const settle = (isSecure: boolean) => {
        secure.off('secure', onSecure).off('close', onClose)
        resolve(isSecure)
      }
      secure.on('secure', onSecure).on('close', onClose)
    })
  }

  async #read(): Promise<boolean> {
    const chunk = await readMore(this.#socket)
    if (!chunk) return false
    this.#parser.push(chunk)
    return true
  }
}
