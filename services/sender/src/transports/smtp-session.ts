import type { Socket } from 'node:net'
import type { Credentials } from '@posthorn/contracts'
import type { NetworkRouting } from '@posthorn/db'
import type { EgressPolicy, OpenedSocket } from '@posthorn/net'
import SMTPConnection, { type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection'
import XOAuth2 from 'nodemailer/lib/xoauth2'
import { AttemptError, PreAttemptError, type SmtpCommand } from './stage-errors.ts'
import { toSendResult } from './accepted.ts'
import { EhloNames } from './ehlo-names.ts'
import { prepareEnvelope } from './smtp-envelope.ts'
import { HandoverStream } from './handover-stream.ts'
import { ehloOffersOf } from './offers.ts'
import { connectDestination } from './connect.ts'
import { routingOf } from './routing.ts'
import { toDeliveryError } from './smtp-replies.ts'
import { requiresStartTls } from './starttls.ts'
import { isRefusedToken, isSame, tokenLogins, tokenMechanism } from './smtp-login.ts'
import type { SendResult, OutgoingMessage, Destination } from './transport.ts'

export interface SmtpLimits {
  /** Where servers may be. */
  egress: EgressPolicy
  connectMs: number
  greetingMs: number
  /** For one command's reply. */
  commandMs: number
  /** Without any progress while the message is handed over, the reply to the final dot included. */
  dataMs: number
  /** How long an unused session is kept. */
  idleMs: number
  /** Messages sent over one session at most. */
  maxMessages: number
}

/** A server that wants to say more than this in one reply is not one. */
const maxReplyBytes = 64 * 1024
const ehloNames = new EhloNames()

/** How a session came about. */
interface Opened extends OpenedSocket {
  ehloName: string
  credentials: Credentials | undefined
}

/** One SMTP connection, logged in, for one message at a time. */
export class SmtpSession {
  readonly #connection: SMTPConnection
  readonly #socket: Socket
  readonly #limits: SmtpLimits
  readonly #host: string
  readonly #routing: NetworkRouting | undefined
  #sent = 0
  #broken = false

  private constructor(opened: Opened, target: Destination, limits: SmtpLimits) {
    const { socket, localAddress, ehloName, credentials } = opened
    const { host, port } = target
    this.#socket = socket
    this.#limits = limits
    this.#host = host
    this.#routing = routingOf(target, { localAddress, name: ehloName })
    // Behind a proxy nobody is on this machine.
    const peer = target.proxy === undefined ? (socket.remoteAddress ?? '') : ''
    this.#connection = new SMTPConnection({
      connection: socket,
      host,
      port,
      secure: target.secure,
      requireTLS: requiresStartTls(target, peer),
      tls: {
        rejectUnauthorized: target.verifyCertificate,
        minVersion: tlsVersion(target.minTlsVersion),
      },
      name: ehloName,
      ...(credentials && 'accessToken' in credentials
        ? { customAuth: tokenLogins({ ...credentials, host, port }) }
        : {}),
      connectionTimeout: limits.greetingMs + limits.commandMs,
      greetingTimeout: limits.greetingMs,
      socketTimeout: limits.dataMs,
      maxResponseSize: maxReplyBytes,
      logger: false,
    })
    // Without a listener an error between two messages would end the process. Not at once: whoever waits should hear the error first.
    this.#connection.on('error', () => {
      this.#broken = true
      setImmediate(() => this.destroy())
    })
    this.#connection.on('end', () => (this.#broken = true))
  }

  /**
   * Connects, greets, encrypts and logs in. An access token that the server refuses may have been withdrawn: another one is asked for,
   * once, before that counts.
   */
  static async open(
    target: Destination,
    limits: SmtpLimits,
    signal: AbortSignal,
  ): Promise<SmtpSession> {
    const credentials = await target.credentials()
    try {
      return await SmtpSession.#openAs(credentials, { target, limits, signal })
    } catch (error) {
      if (!isRefusedToken(error, credentials)) throw error
      const fresh = await target.credentials(credentials)
      if (!fresh || isSame(fresh, credentials)) throw error
      return SmtpSession.#openAs(fresh, { target, limits, signal })
    }
  }

  static async #openAs(
    credentials: Credentials | undefined,
    { target, limits, signal }: { target: Destination; limits: SmtpLimits; signal: AbortSignal },
  ): Promise<SmtpSession> {
    const { connectMs: timeoutMs, egress } = limits
    const opened = await connectDestination(target, { timeoutMs, egress, signal })
    const ehloName = target.ehloName ?? (await ehloNames.of(opened.localAddress))
    if (opened.socket.destroyed) throw lostError()
    const session = new SmtpSession({ ...opened, ehloName, credentials }, target, limits)
    try {
      await session.#greet(signal)
      if (credentials && session.#connection.allowsAuth) await session.#login(credentials, signal)
      return session
    } catch (error) {
      session.destroy()
      throw error
    }
  }

  /** Whether another message may be sent over it. */
  get usable(): boolean {
    return !this.#broken && this.#sent < this.#limits.maxMessages && this.#socket.writable
  }

  /**
   * Sends one message. The stream of its bytes ends, and with that the final dot is written, only after `beforeHandover` has resolved.
   */
  async send(message: OutgoingMessage): Promise<SendResult> {
    const { signal } = message
    const prepared = prepareEnvelope(message, ehloOffersOf(this.#connection))
    const handover = new HandoverStream(message)
    // One that takes messages: by the time it wants the bytes of this one, what must be on record is.
    if (this.#sent > 0) message.prepareHandover()
    // Past the dot there is no calling off: the answer must be heard.
    const abort = () => handover.stage !== 'handover' && this.destroy()
    signal.addEventListener('abort', abort, { once: true })
    const timer = this.#limitEnvelope(prepared.envelope.to.length, handover.atData)
    try {
      const result = await this.#run<SMTPConnectionSendInfo>((done) =>
        this.#connection.send(prepared.envelope, handover.bytes, done),
      )
      handover.assertDone()
      this.#sent += 1
      return toSendResult(result, prepared, { host: this.#host, routing: this.#routing })
    } catch (error) {
      this.destroy()
      if (timer.late()) throw lateError('MAIL FROM', error)
      throw handover.explain(error)
    } finally {
      timer.clear()
      signal.removeEventListener('abort', abort)
      handover.bytes.destroy()
    }
  }

  /** The way its messages go, where it is not the ordinary one. */
  get routing(): NetworkRouting | undefined {
    return this.#routing
  }

  /** Says goodbye. */
  close(): void {
    this.#broken = true
    this.#connection.quit()
    setTimeout(() => this.destroy(), 1_000).unref()
  }

  /** Breaks off: what was not finished is not finished for the server either. */
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
    const { user } = credentials
    const auth =
      'pass' in credentials
        ? { user, credentials: { user, pass: credentials.pass } }
        : {
            user,
            // The handlers of `tokenLogins` do it; without this nodemailer would rather send the token as a password.
            oauth2: new XOAuth2({ user, accessToken: credentials.accessToken }),
            method: tokenMechanism(ehloOffersOf(this.#connection)),
          }
    await this.#step('AUTH', { ms: 2 * this.#limits.commandMs, signal }, (done) =>
      this.#connection.login(auth, (error) => done(error)),
    )
  }

  /** One step of the opening, in its time. */
  async #step(
    command: SmtpCommand,
    { ms, signal }: { ms: number; signal: AbortSignal },
    start: (done: Done<void>) => void,
  ): Promise<void> {
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.destroy()
    }, ms)
    const abort = () => this.destroy()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await this.#run<void>(start)
    } catch (error) {
      if (signal.aborted) throw new PreAttemptError('called off', { cause: signal.reason })
      throw late ? lateError(command, error) : toDeliveryError(error, command)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /** Settles with the callback, or with the end of the connection, which nodemailer does not tell every callback. */
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

  /** A bound for everything before DATA: a command's time, and a second for each recipient. */
  #limitEnvelope(recipients: number, atData: Promise<void>) {
    let late = false
    const timer = setTimeout(
      () => {
        late = true
        this.destroy()
      },
      this.#limits.commandMs + recipients * 1_000,
    )
    void atData.then(() => clearTimeout(timer))
    return { late: () => late, clear: () => clearTimeout(timer) }
  }
}

type Done<T> = (error: Error | null, result?: T) => void

function lateError(command: SmtpCommand, cause: unknown): AttemptError {
  return new AttemptError(
    { message: `No reply to ${command} in time`, code: 'ETIMEDOUT', command },
    { cause },
  )
}

function lostError(): AttemptError {
  const message = 'Connection closed unexpectedly'
  return new AttemptError({ message, code: 'ECONNECTION', command: 'CONN' })
}

const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const

function tlsVersion(wanted: string | undefined): (typeof tlsVersions)[number] {
  return tlsVersions.find((version) => version === wanted) ?? 'TLSv1.2'
}
