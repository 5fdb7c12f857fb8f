import type { SecureContext } from 'node:tls'

/** A message that was received completely. */
export interface SmtpMessage {
  /** Message-ID with its angle brackets. Empty if the message has no Message-ID. */
  messageId: string
  from: string
  to: string[]
  /** Parameters after the addresses, such as `BODY=8BITMIME RET=HDRS` and `NOTIFY=SUCCESS`. */
  parameters: { from: string; to: string[] }
  raw: Buffer
  /** SHA-256 of the message `raw`, hexadecimal. */
  sha256: string
  /** Authenticated user of the message. Absent without a login. */
  user?: string
  helo: string
  receivedAt: Date
}

/** Envelope of the message that is being received. */
export interface Envelope {
  from: string
  parameters: string
  to: { address: string; parameters: string }[]
}

/** Connection of an SMTP client. */
export interface SmtpSession {
  /** Every line received. Secrets are left out. */
  readonly received: string[]
  helo: string
  user: string | undefined
  envelope: Envelope | undefined
  /** True once the client sent a command before it had the reply to the previous command. */
  readonly pipelined: boolean
  /** True after STARTTLS, or if the connection began with TLS. */
  readonly secured: boolean
  write(bytes: string | Uint8Array): void
  /** Sends a line within AUTH and returns the client's next line. */
  prompt(line: string): Promise<string>
  /** Ends the SMTP connection after pending writes. */
  close(): void
  /** Resets the connection (RST). */
  reset(): void
  destroy(): void
}

/**
 * Moment at which a hook may reply. `body` is repeated while the message is received, `dot` is the
 * end of data.
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

/** SMTP command that the server received. */
export interface SmtpCommand {
  readonly moment: SmtpMoment
  /** The whole line. Empty at `greeting`, `body` and `dot`. */
  readonly line: string
  readonly session: SmtpSession
  /** Bytes of the message received so far. */
  readonly bytes: number
  /** Received message. Present at `dot`. */
  readonly message?: SmtpMessage
  /** Executes the command as without hooks and returns the reply lines. */
  readonly defaultReply: () => Promise<string[]>
}

/** Bytes sent unchanged, optionally followed by the end of the connection. */
export interface SmtpRaw {
  raw: string | Uint8Array
  then?: 'close' | 'reset'
}

/**
 * Reply of a hook: lines without line ends (an empty array sends nothing) or raw bytes. With
 * undefined the server replies itself.
 */
export type SmtpReply = readonly string[] | SmtpRaw | undefined

export type SmtpHook = (command: SmtpCommand) => SmtpReply | Promise<SmtpReply>

/** A rejection, such as `{ code: 451, text: '4.7.1 greylisted' }`. */
export interface SmtpRejection {
  code: number
  text: string
}

/**
 * Result of the end of data. `undefined` accepts the message, a rejection rejects it. `drop` stores
 * the message and closes the connection without a reply, so that the sender cannot know.
 * `drop-unkept` closes it without storing the message. `hang` stores it and never replies.
 */
export type AfterData = SmtpRejection | 'drop' | 'drop-unkept' | 'hang' | undefined

export interface SmtpLogin {
  method: string
  user: string
  password?: string
  accessToken?: string
}

/** Callbacks of the server. A missing callback accepts. Callbacks may be replaced at any time. */
export interface SmtpBehaviour {
  onConnect?: (count: number) => SmtpRejection | undefined
  onMailFrom?: (address: string) => SmtpRejection | undefined
  onRecipient?: (address: string) => SmtpRejection | undefined
  onData?: (message: SmtpMessage) => AfterData
  onLogin?: (login: SmtpLogin) => SmtpRejection | undefined
}

/** Returns a callback that rejects its first `count` calls and accepts the later calls. */
export function rejectTimes(
  count: number,
  rejection: SmtpRejection,
): () => SmtpRejection | undefined {
  let left = count
  return () => (left-- > 0 ? rejection : undefined)
}

/** State shared by all connections of one server. */
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
  /** Errors thrown by hooks. */
  failures: unknown[]
}
