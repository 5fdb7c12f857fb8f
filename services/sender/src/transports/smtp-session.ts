import type { Socket } from 'node:net'
import type { Credentials } from '@posthorn/contracts'
import type { EgressPolicy } from '@posthorn/net'
import SMTPConnection, { type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection'
import XOAuth2 from 'nodemailer/lib/xoauth2'
import { DeliveryError, NotAttempted, type SmtpCommand } from '../delivery/delivery-error.ts'
import { Handover } from './handover.ts'
import { openSocket } from './open-socket.ts'
import { clean, toDeliveryError, toFailure } from './smtp-errors.ts'
import { requiresStartTls } from './starttls.ts'
import type { Accepted, OutgoingMessage, Target } from './transport.ts'

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
/** One SMTP connection, logged in, for one message at a time. */
export class SmtpSession {
  readonly #connection: SMTPConnection
  readonly #socket: Socket
  readonly #limits: SmtpLimits
  #sent = 0
  #broken = false

  constructor(socket: Socket, target: Target, limits: SmtpLimits) {
    this.#socket = socket
    this.#limits = limits
    this.#connection = new SMTPConnection({
      connection: socket,
      host: target.host,
      port: target.port,
      secure: target.secure,
      requireTLS: requiresStartTls(target, socket.remoteAddress ?? ''),
      tls: {
        rejectUnauthorized: target.verifyCertificate,
        minVersion: tlsVersion(target.minTlsVersion),
      },
      name: target.ehloName,
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

  /** Connects, greets, encrypts and logs in. */
  static async open(target: Target, limits: SmtpLimits, signal: AbortSignal): Promise<SmtpSession> {
    const credentials = await target.credentials()
    const { connectMs: timeoutMs, egress } = limits
    const socket = await openSocket(target, { timeoutMs, egress, signal })
    const session = new SmtpSession(socket, target, limits)
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
  async send(message: OutgoingMessage): Promise<Accepted> {
    const { envelope, mime, signal } = message
    const handover = new Handover(message)
    // Past the dot there is no calling off: the answer must be heard.
    const abort = () => handover.stage !== 'handover' && this.destroy()
    signal.addEventListener('abort', abort, { once: true })
    const timer = this.#limitEnvelope(envelope.to.length, handover.atData)
    try {
      const result = await this.#run<SMTPConnectionSendInfo>((done) =>
        this.#connection.send(
          { ...envelope, to: [...envelope.to], size: mime.length },
          handover.bytes,
          done,
        ),
      )
      handover.assertDone()
      this.#sent += 1
      return acceptedOf(result)
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
            oauth2: new XOAuth2({ user, accessToken: credentials.accessToken }),
            method: 'XOAUTH2',
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
      if (signal.aborted) throw new NotAttempted('called off', { cause: signal.reason })
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

function lateError(command: SmtpCommand, cause: unknown): DeliveryError {
  return new DeliveryError(
    { message: `No reply to ${command} in time`, code: 'ETIMEDOUT', command },
    { cause },
  )
}

function acceptedOf({
  response,
  serverMessageId,
  accepted,
  rejectedErrors = [],
}: SMTPConnectionSendInfo): Accepted {
  return {
    response: clean(response),
    ...(serverMessageId === undefined ? {} : { serverMessageId }),
    accepted,
    rejected: rejectedErrors.map((error) => ({
      recipient: (error as { recipient?: string }).recipient ?? '',
      failure: toFailure(error, 'RCPT TO'),
    })),
  }
}

const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const

function tlsVersion(wanted: string | undefined): (typeof tlsVersions)[number] {
  return tlsVersions.find((version) => version === wanted) ?? 'TLSv1.2'
}
