import type { SecureContext } from 'node:tls'

/** Message that the SMTP test server received completely. */
export interface SmtpMessage {
  /**
   * Message-ID of the received message with its angle brackets. Empty if the message has no
   * Message-ID.
   */
  messageId: string
  from: string
  to: string[]
  /**
   * Parameters after the addresses in the SMTP commands MAIL and RCPT, such as `BODY=8BITMIME
   * RET=HDRS` and `NOTIFY=SUCCESS`.
   */
  parameters: { from: string; to: string[] }
  raw: Buffer
  /** SHA-256 of the received message `raw` in hexadecimal digits. */
  sha256: string
  /**
   * User who was authenticated when the message was sent to the SMTP test server. Absent without a
   * login.
   */
  user?: string
  helo: string
  receivedAt: Date
}

/** Envelope of the message that the SMTP test server is receiving. */
export interface Envelope {
  from: string
  parameters: string
  to: { address: string; parameters: string }[]
}

/** Connection of an SMTP client to the test server. */
export interface SmtpSession {
  /** Lines that the SMTP test server received on this connection, without secrets. */
  readonly received: string[]
  helo: string
  user: string | undefined
  envelope: Envelope | undefined
  /**
   * True if the SMTP client has sent a command before the reply to the previous command arrived.
   */
  readonly pipelined: boolean
  /** True if the SMTP connection uses TLS: after STARTTLS or from its beginning. */
  readonly secured: boolean
  write(bytes: string | Uint8Array): void
  /** Sends a line during the SMTP command AUTH and returns the client's next line. */
  prompt(line: string): Promise<string>
  /** Ends the SMTP connection after all pending writes. */
  close(): void
  /** Resets the SMTP connection (RST). */
  reset(): void
  destroy(): void
}

/**
 * Moment at which a hook may reply to a client of the SMTP test server. `body` occurs repeatedly
 * while the message is received, and `dot` at the end of data.
 */
export type SmtpMoment =
  | 'greeting'
  | 'EHLO'
  | 'HELO'
  | 'STARTTLS'
  | 'AUTH'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'body'
  | 'dot'
  | 'RSET'
  | 'NOOP'
  | 'QUIT'

/** SMTP command that the test server received. */
export interface SmtpCommand {
  readonly moment: SmtpMoment
  /** Whole SMTP command line of the client. Empty at `greeting`, `body` and `dot`. */
  readonly line: string
  readonly session: SmtpSession
  /** Number of bytes of the message that the SMTP test server has received so far. */
  readonly bytes: number
  /** Message that the SMTP test server received. Present at the moment `dot` (end of data). */
  readonly message?: SmtpMessage
  /** Executes the SMTP command as the server does without hooks. Returns the reply lines. */
  readonly defaultReply: () => Promise<string[]>
}

/** Bytes of an SMTP reply that are sent unchanged, after which the connection may end. */
export interface SmtpRaw {
  raw: string | Uint8Array
  then?: 'close' | 'reset'
}

/**
 * Reply of a hook to an SMTP command: lines without line ends (an empty array sends nothing) or raw
 * bytes. With undefined, the server replies.
 */
export type SmtpReply = readonly string[] | SmtpRaw | undefined

export type SmtpHook = (command: SmtpCommand) => SmtpReply | Promise<SmtpReply>

/** Rejection of an SMTP command, such as `{ code: 451, text: '4.7.1 greylisted' }`. */
export interface SmtpRejection {
  code: number
  text: string
}

/**
 * Result of the end of SMTP data. `undefined` accepts the message. A rejection rejects the message.
 * `drop` stores the message and closes the connection without a reply, so that the sender cannot
 * know the result. `drop-unkept` closes the connection without storing the message. `hang` stores
 * the message and never replies.
 */
export type AfterData = SmtpRejection | 'drop' | 'drop-unkept' | 'hang' | undefined

export interface SmtpLogin {
  method: string
  user: string
  password?: string
  accessToken?: string
}

/**
 * Callbacks that decide about SMTP commands. A missing callback accepts the command. Callbacks may
 * be replaced at any time.
 */
export interface SmtpBehaviour {
  onConnect?: (count: number) => SmtpRejection | undefined
  onMailFrom?: (address: string) => SmtpRejection | undefined
  onRecipient?: (address: string) => SmtpRejection | undefined
  onData?: (message: SmtpMessage) => AfterData
  onLogin?: (login: SmtpLogin) => SmtpRejection | undefined
}

/**
 * Returns a callback for SMTP commands that rejects its first `count` calls and accepts all later
 * calls.
 */
export function rejectTimes(
  count: number,
  rejection: SmtpRejection,
): () => SmtpRejection | undefined {
  let left = count
  return () => (left-- > 0 ? rejection : undefined)
}

/** State that all connections of one SMTP test server share. */
export interface SmtpServerState {
  script: {
    behaviour: SmtpBehaviour
    readonly accepted: SmtpMessage[]
    readonly received: string[]
    connections: number
  }
  hooks: Map<SmtpMoment, SmtpHook>
  extensions: ReadonlySet<string>
  requireLogin: boolean
  startTls: boolean
  maxBytes: number
  secureContext: SecureContext
  /** Errors thrown by hooks of the scripted SMTP server. */
  failures: unknown[]
}
