import type { Socket } from 'node:net'
import type { Credentials } from '@posthorn/contracts/commands/credentials'
import type { NetworkRouting } from '@posthorn/db'
import { holdFailure } from '@posthorn/flow'
import type { ConnectedSocket } from '@posthorn/net/connect-socket'
import type { EgressPolicy } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import { AttemptError, cancelled, type SendResult } from '../transport.ts'
import { connectDestination, EhloNames, networkRoutingOf, requiresStartTls } from './connect.ts'
import type { Destination } from './destination.ts'
import { HandoverStream, type OutgoingMessage } from './handover-stream.ts'
import {
  ehloLinesOf,
  isRejectedToken,
  type SendInfo,
  SmtpConnection,
  timeoutError,
  toAttemptError,
  tokenHandlers,
  toNodemailerLogin,
} from './nodemailer.ts'
import { acceptedRecipients, parseOffers, prepareEnvelope, toSendResult } from './smtp-envelope.ts'

export interface SmtpLimits {
  /** Egress policy for mail servers: networks in which mail servers must not be. */
  egress: EgressPolicy
  /** Ports on which the sender may connect to mail servers. */
  mailPorts: MailPorts
  connectMs: number
  greetingMs: number
  /** Timeout of the reply to one SMTP command. */
  commandMs: number
  /** Maximum time without progress during SMTP DATA, including the reply to the end of data. */
  dataMs: number
  /** Maximum time for which an idle SMTP session stays open. */
  idleMs: number
  /** Maximum messages per SMTP session. */
  maxMessages: number
}

export interface SessionOptions {
  destination: Destination
  limits: SmtpLimits
  /** Signal that cancels the setup of the SMTP session. */
  signal: AbortSignal
}

/** Maximum size of an SMTP reply. Larger replies do not come from a mail server. */
const maxReplyBytes = 64 * 1024
const ehloNames = new EhloNames()

/**
 * Socket connected to a mail server, with the EHLO name and the credentials of the SMTP session.
 */
interface Connected extends ConnectedSocket {
  ehloName: string
  credentials: Credentials | undefined
}

/** SMTP session: authenticated connection to a mail server, for one message at a time. */
export class SmtpSession {
  readonly #connection: SmtpConnection
  readonly #socket: Socket
  readonly #limits: SmtpLimits
  readonly #host: string
  /**
   * Network path of the messages of this SMTP session. Undefined for the default path: no proxy,
   * any address.
   */
  readonly routing: NetworkRouting | undefined
  #sent = 0
  #broken = false

  private constructor(connected: Connected, destination: Destination, limits: SmtpLimits) {
    const { socket, localAddress, ehloName, credentials } = connected
    const { host, port } = destination
    this.#socket = socket
    this.#limits = limits
    this.#host = host
    this.routing = networkRoutingOf(destination, { localAddress, name: ehloName })
    // If the connection goes through a proxy, the IP address of the socket is not used, because it
    // belongs to the proxy. The mail server then never counts as loopback.
    const peer = destination.proxy === undefined ? (socket.remoteAddress ?? '') : ''
    this.#connection = new SmtpConnection({
      connection: socket,
      host,
      port,
      secure: destination.secure,
      requireTLS: requiresStartTls(destination, peer),
      tls: {
        rejectUnauthorized: destination.verifyCertificate,
        minVersion: destination.minTlsVersion ?? 'TLSv1.2',
      },
      name: ehloName,
      ...(credentials && 'accessToken' in credentials
        ? { customAuth: tokenHandlers({ ...credentials, host, port }) }
        : {}),
      connectionTimeout: limits.greetingMs + limits.commandMs,
      greetingTimeout: limits.greetingMs,
      socketTimeout: limits.dataMs,
      maxResponseSize: maxReplyBytes,
      logger: false,
    })
    // An unhandled connection error between two messages would end the process. The SMTP session is
    // destroyed with a delay, so that the pending command receives the error first.
    this.#connection.on('error', () => {
      this.#broken = true
      setImmediate(() => this.destroy())
    })
    this.#connection.on('end', () => (this.#broken = true))
  }

  /**
   * Opens an SMTP session: connects, encrypts and logs in. If the server rejects an access token,
   * requests a new token once, because the rejected token may have been revoked.
   */
  static async open(options: SessionOptions): Promise<SmtpSession> {
    const { destination } = options
    const credentials = await destination.credentials()
    try {
      return await SmtpSession.#openWith(credentials, options)
    } catch (error) {
      if (!isRejectedToken(error, credentials)) throw error
      const fresh = await destination.credentials(credentials)
      if (!fresh || JSON.stringify(fresh) === JSON.stringify(credentials)) throw error
      return SmtpSession.#openWith(fresh, options)
    }
  }

  static async #openWith(
    credentials: Credentials | undefined,
    options: SessionOptions,
  ): Promise<SmtpSession> {
    const { signal, destination, limits } = options
    const connect = (limit: AbortSignal) =>
      SmtpSession.#connect(credentials, { ...options, signal: limit })
    const session = destination.isTenantsServer
      ? await holdFailure(connect, {
          timeoutMs: limits.connectMs + limits.greetingMs,
          signal,
          isHidden: (error) => error instanceof AttemptError,
          timeoutError: (cause) => timeoutError('CONN', cause),
          abortError: () => cancelled(signal),
        })
      : await connect(signal)
    try {
      if (credentials && session.#connection.allowsAuth) await session.#login(credentials, signal)
      return session
    } catch (error) {
      session.destroy()
      throw error
    }
  }

  /** Connects to the mail server, up to the reply to EHLO, over TLS if the server supports TLS. */
  static async #connect(
    credentials: Credentials | undefined,
    { destination, limits, signal }: SessionOptions,
  ): Promise<SmtpSession> {
    const { connectMs: timeoutMs, egress, mailPorts } = limits
    const options = { timeoutMs, egress, mailPorts, signal }
    const connected = await connectDestination(destination, options)
    const ehloName = destination.ehloName ?? (await ehloNames.of(connected.localAddress))
    if (connected.socket.destroyed) {
      const message = 'Connection closed unexpectedly'
      throw new AttemptError({ message, code: 'ECONNECTION', command: 'CONN' })
    }
    const session = new SmtpSession({ ...connected, ehloName, credentials }, destination, limits)
    try {
      await session.#greet(signal)
      return session
    } catch (error) {
      session.destroy()
      throw error
    }
  }

  /** True if another message may be sent over this SMTP session. */
  get usable(): boolean {
    return !this.#broken && this.#sent < this.#limits.maxMessages && this.#socket.writable
  }

  /**
   * Sends one message over the SMTP session. The end of data is sent only after `commitIntent` has
   * resolved.
   */
  async send(message: OutgoingMessage): Promise<SendResult> {
    const { signal } = message
    const prepared = prepareEnvelope(message, parseOffers(ehloLinesOf(this.#connection)))
    const stream = new HandoverStream(message, () => acceptedRecipients(prepared))
    // Ignores an abort of the sending attempt after the end of data, because the reply of the
    // server is needed.
    const abort = () => stream.stage !== 'handover' && this.destroy()
    signal.addEventListener('abort', abort, { once: true })
    // Timeout of all SMTP commands before the message content: `commandMs`, and 1 s per recipient.
    const timeout = this.#startTimeout(this.#limits.commandMs + prepared.envelope.to.length * 1_000)
    void stream.atData.then(timeout.clear)
    try {
      const result = await this.#run<SendInfo>((done) =>
        this.#connection.send(prepared.envelope, stream.bytes, done),
      )
      stream.assertComplete()
      this.#sent += 1
      const path = { host: this.#host, routing: this.routing }
      const accepted = toSendResult(result, prepared, path)
      message.onReply(accepted)
      return accepted
    } catch (error) {
      this.destroy()
      if (timeout.expired()) throw timeoutError('MAIL FROM', error)
      throw stream.toStageError(error)
    } finally {
      timeout.clear()
      signal.removeEventListener('abort', abort)
      stream.bytes.destroy()
    }
  }

  /** Ends the SMTP session with QUIT. */
  close(): void {
    this.#broken = true
    this.#connection.quit()
    setTimeout(() => this.destroy(), 1_000).unref()
  }

  /** Closes the SMTP connection immediately. A transaction without end of data has no effect. */
  destroy(): void {
    this.#broken = true
    this.#socket.destroy()
    this.#connection.close()
  }

  async #greet(signal: AbortSignal): Promise<void> {
    const { greetingMs, commandMs } = this.#limits
    await this.#step('EHLO', { ms: greetingMs + commandMs, signal }, (done) =>
      this.#connection.connect((error) => done(error ?? null)),
    )
  }

  async #login(credentials: Credentials, signal: AbortSignal): Promise<void> {
    const { mechanisms } = parseOffers(ehloLinesOf(this.#connection))
    const login = toNodemailerLogin(credentials, mechanisms)
    await this.#step('AUTH', { ms: 2 * this.#limits.commandMs, signal }, (done) =>
      this.#connection.login(login, (error) => done(error)),
    )
  }

  /** Runs one step of the setup of the SMTP session (EHLO, AUTH) with a timeout. */
  async #step(
    command: string,
    { ms, signal }: { ms: number; signal: AbortSignal },
    start: (done: Done<void>) => void,
  ): Promise<void> {
    const timeout = this.#startTimeout(ms)
    const abort = () => this.destroy()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await this.#run<void>(start)
    } catch (error) {
      if (signal.aborted) throw cancelled(signal)
      throw timeout.expired() ? timeoutError(command, error) : toAttemptError(error, command)
    } finally {
      timeout.clear()
      signal.removeEventListener('abort', abort)
    }
  }

  /**
   * Runs a command of nodemailer. Settles with the callback of the command, or at the end of the
   * connection, because nodemailer then omits the callback.
   */
  #run<T>(start: (done: Done<T>) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const onEnd = () =>
      reject(Object.assign(new Error('Connection closed unexpectedly'), { code: 'ECONNECTION' }))
    this.#connection.once('error', reject)
    this.#connection.once('end', onEnd)
    start((error, result) => (error ? reject(error) : resolve(result as T)))
    return promise.finally(() => {
      this.#connection.off('error', reject)
      this.#connection.off('end', onEnd)
    })
  }

  /** Starts a timer that destroys the SMTP session after `ms` unless cleared. */
  #startTimeout(ms: number) {
    let expired = false
    const timer = setTimeout(() => {
      expired = true
      this.destroy()
    }, ms)
    return { expired: () => expired, clear: () => clearTimeout(timer) }
  }
}

type Done<T> = (error: Error | null, result?: T) => void
