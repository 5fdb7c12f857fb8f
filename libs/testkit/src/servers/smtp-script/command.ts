import type { SmtpMessage } from './message.ts'
import type { SmtpSession } from './session.ts'

/** When a hook may answer: at the greeting, at a command, while the message comes in (again and again), and at its final dot. */
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

/** A command as it came. */
export interface SmtpCommand {
  readonly moment: SmtpMoment
  /** The whole line; empty where there is none. */
  readonly line: string
  readonly session: SmtpSession
  /** Of the body, so far. */
  readonly bytes: number
  /** At the dot. */
  readonly message?: SmtpMessage
  /** Does what the server would do, and returns the lines it would say. */
  readonly usual: () => Promise<string[]>
}

/** Bytes that are sent as they are, and what then becomes of the connection. */
export interface SmtpRaw {
  raw: string | Uint8Array
  then?: 'close' | 'reset'
}

/** What a hook answers: lines without their ends (none: nothing is said), or bytes. Undefined: not this hook's business. */
export type SmtpReply = readonly string[] | SmtpRaw | undefined

export type SmtpHook = (command: SmtpCommand) => SmtpReply | Promise<SmtpReply>
