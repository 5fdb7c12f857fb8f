import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { plainAddress } from '@posthorn/net/addresses'
import { ignoreErrors, readMore } from '../sockets.ts'
import { CommandParser, type Input } from './parser.ts'

/** Connection of a mail client, read as IMAP commands until its login. */
export class MailClient {
  /**
   * IP address of the mail client: the address of its TCP connection, or the address in a PROXY
   * header.
   */
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

  get isSecure(): boolean {
    return this.#socket instanceof TLSSocket
  }

  get isDisconnected(): boolean {
    return this.#socket.destroyed || !this.#socket.writable
  }

  /**
   * Returns the next command or other input of the mail client, or undefined after the client
   * disconnected.
   */
  async nextInput(): Promise<Input | undefined> {
    for (;;) {
      if (this.isDisconnected) return undefined
      const input = this.#parser.next()
      if (input) return input
      if (!(await this.#read())) return undefined
    }
  }

  /**
   * Returns a line that the mail client sends inside an IMAP command; undefined if the line is too
   * long or the client disconnected.
   */
  async nextLine(): Promise<string | undefined> {
    for (;;) {
      const line = this.#parser.line()
      if (line !== null) return line
      if (!(await this.#read())) return undefined
    }
  }

  /** True if the mail client sent bytes that have not been read as IMAP commands. */
  get hasUnreadBytes(): boolean {
    return this.#parser.pending > 0 || this.#socket.readableLength > 0
  }

  write(...lines: string[]): void {
    if (!this.isDisconnected) this.#socket.write(`${lines.join('\r\n')}\r\n`)
  }

  /** Sends BYE to the mail client and closes its connection; destroys the socket after 1 s. */
  end(text?: string): void {
    if (text !== undefined) this.write(`* BYE ${text}`)
    this.#socket.end()
    this.#socket.resume()
    const socket = this.#socket
    setTimeout(() => socket.destroy(), 1_000).unref()
  }

  /** Closes the mail client's connection without BYE. */
  disconnect(): void {
    this.#socket.destroy()
  }

  /** Returns the bytes that the mail client sent after its login command. */
  takeRest(): Buffer {
    return this.#parser.takeRest()
  }

  /**
   * Starts TLS with the mail client. Returns false on failure. Discards plaintext received before,
   * which may be injected (RFC 9051 §6.2.1).
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
      // Removes the listeners of the client's TLS handshake, which would otherwise stay in memory
      // for the whole IMAP session.
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
