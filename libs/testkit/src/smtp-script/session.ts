import { once } from 'node:events'
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { defined } from '@posthorn/contracts/defined'
import { ByteReader } from '../byte-reader.ts'
import type {
  Envelope,
  SmtpCommand,
  SmtpHook,
  SmtpMessage,
  SmtpMoment,
  SmtpRaw,
  SmtpServerState,
  SmtpSession,
} from './contract.ts'
import { messageIdOf, readBody, sha256 } from './message.ts'
import { handlers } from './verbs.ts'

/** Connection of an SMTP client to the test server. */
export class SmtpConnection implements SmtpSession {
  /** Lines that the SMTP test server received on this connection, without secrets. */
  readonly received: string[] = []
  helo = ''
  user: string | undefined
  envelope: Envelope | undefined
  /**
   * True if the SMTP client has sent a command before the reply to the previous command arrived.
   */
  pipelined = false
  readonly #state: SmtpServerState
  /** TCP socket of the SMTP connection below TLS. */
  readonly #wire: Socket
  #socket: Socket
  #incoming: ByteReader
  #open = true

  constructor(socket: Socket, state: SmtpServerState) {
    this.#state = state
    this.#wire = socket
    this.#socket = socket
    this.#incoming = new ByteReader(this.#guard(socket))
  }

  get secured(): boolean {
    return this.#socket instanceof TLSSocket
  }

  /** Serves a connection of the SMTP test server until one side ends the connection. */
  async run(): Promise<void> {
    const { onConnect } = this.#state.script.behaviour
    const count = ++this.#state.script.connections
    await this.#answer({ moment: 'greeting' }, async () => {
      const refused = onConnect?.(count)
      return [refused ? `${refused.code} ${refused.text}` : '220 script.mail.test ESMTP']
    })
    for (;;) {
      const line = this.#open ? await this.#incoming.until('\r\n') : undefined
      if (line === undefined) return this.close()
      await this.#command(line)
    }
  }

  write(bytes: string | Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  close(): void {
    this.#open = false
    this.#socket.end()
    this.#socket.destroySoon()
  }

  /** Resets the SMTP connection (RST). */
  reset(): void {
    this.#open = false
    this.#wire.resetAndDestroy()
    this.#socket.destroy()
  }

  destroy(): void {
    this.#open = false
    this.#socket.destroy()
  }

  /** Sends a line during the SMTP command AUTH and returns the client's next line. */
  async prompt(line: string): Promise<string> {
    this.write(`${line}\r\n`)
    return (await this.#incoming.until('\r\n')) ?? '*'
  }

  /** Starts TLS on the SMTP connection, which discards all previous state (RFC 3207 §4.2). */
  async startTls(secureContext: SecureContext): Promise<void> {
    this.#incoming.release()
    const tls = new TLSSocket(this.#socket, { isServer: true, secureContext })
    this.#socket = tls
    this.#incoming = new ByteReader(this.#guard(tls))
    this.helo = ''
    this.user = undefined
    this.envelope = undefined
    await Promise.race([once(tls, 'secure'), once(tls, 'close')]).catch(() => undefined)
  }

  async #command(line: string): Promise<void> {
    const verb = /^[a-z]+/i.exec(line)?.[0].toUpperCase() ?? ''
    this.received.push(verb === 'AUTH' ? line.split(' ').slice(0, 2).join(' ') : line)
    this.#state.script.received.push(this.received.at(-1) ?? '')
    if (this.#incoming.hasMore) this.pipelined = true
    const handle = handlers[verb]
    if (!handle) return this.#say(['500 5.5.2 what?'])
    const moment = verb as SmtpMoment
    const reply = await this.#answer({ moment, line }, () => handle(this, line, this.#state))
    await this.#after(verb, reply)
  }

  /**
   * Continues after a reply to an SMTP command: starts TLS, receives the message, or closes the
   * connection.
   */
  async #after(verb: string, reply = ''): Promise<void> {
    if (verb === 'STARTTLS' && reply.startsWith('220'))
      await this.startTls(this.#state.secureContext)
    if (verb === 'DATA' && reply.startsWith('354')) await this.#message()
    if (verb === 'QUIT') this.close()
  }

  async #message(): Promise<void> {
    const hook = this.#state.hooks.get('body')
    const before = hook && ((bytes: number) => this.#mayRead(hook, bytes))
    const raw = await readBody(this.#incoming, before)
    const { envelope } = this
    this.envelope = undefined
    if (!raw || !envelope) return
    this.received.push('.')
    this.#state.script.received.push('.')
    const message: SmtpMessage = defined({
      messageId: messageIdOf(raw),
      from: envelope.from,
      to: envelope.to.map(({ address }) => address),
      parameters: {
        from: envelope.parameters,
        to: envelope.to.map(({ parameters }) => parameters),
      },
      raw,
      sha256: sha256(raw),
      user: this.user,
      helo: this.helo,
      receivedAt: new Date(),
    })
    await this.#answer({ moment: 'dot', bytes: raw.length, message }, async () =>
      this.#take(message),
    )
  }

  #take(message: SmtpMessage): string[] {
    const { script, maxBytes } = this.#state
    if (message.raw.length > maxBytes) return ['552 5.3.4 too big']
    const then = script.behaviour.onData?.(message)
    if (typeof then === 'object') return [`${then.code} ${then.text}`]
    if (then !== 'drop-unkept') script.accepted.push(message)
    if (then === undefined) return [`250 2.0.0 queued as ${script.accepted.length}`]
    if (then !== 'hang') this.destroy()
    return []
  }

  async #mayRead(hook: SmtpHook, bytes: number): Promise<boolean> {
    const reply = await this.#guarded(() =>
      hook({ moment: 'body', line: '', session: this, bytes, defaultReply: async () => [] }),
    )
    if (reply && 'raw' in reply) this.#send(reply)
    else if (reply) this.#say(reply)
    return this.#open
  }

  /**
   * Replies to an SMTP command as the hook decides, or normally without a hook. Returns the last
   * line of the reply.
   */
  async #answer(
    input: Partial<SmtpCommand> & Pick<SmtpCommand, 'moment'>,
    usual: SmtpCommand['defaultReply'],
  ): Promise<string | undefined> {
    const hook = this.#state.hooks.get(input.moment)
    const command = { line: '', session: this, bytes: 0, defaultReply: usual, ...input }
    const reply = hook ? await this.#guarded(() => hook(command)) : undefined
    if (reply && 'raw' in reply) {
      this.#send(reply)
      return undefined
    }
    const lines = reply ?? (this.#open ? await usual() : [])
    this.#say(lines)
    return lines.at(-1)
  }

  /**
   * Calls a hook of the SMTP test server. If the hook throws, the connection is reset, and disposal
   * of the server throws the error.
   */
  async #guarded<T>(call: () => T | Promise<T>): Promise<T | SmtpRaw> {
    try {
      return await call()
    } catch (error) {
      this.#state.failures.push(error)
      return { raw: '', then: 'reset' }
    }
  }

  #say(lines: readonly string[]): void {
    if (lines.length > 0) this.write(`${lines.join('\r\n')}\r\n`)
  }

  #send({ raw, then }: SmtpRaw): void {
    if (raw.length > 0) this.write(raw)
    if (then === 'close') this.close()
    if (then === 'reset') this.reset()
  }

  #guard<T extends Socket>(socket: T): T {
    socket.on('error', () => undefined) // errors of SMTP clients that disconnect are ignored
    return socket
  }
}
