/**
 * Adapter of nodemailer: connections, private members and errors. No other module of the sender
 * imports it. Its main entry offers pooled transports, which hide the moment before the end of
 * data, so the sender drives single connections. nodemailer.test.ts fails if a new version changes
 * a member used here.
 */
import { defined } from '@posthorn/contracts'
import SmtpConnection, {
  type SMTPConnectionCustomAuthContext as AuthContext,
  type SMTPConnectionCustomAuthHandlers as AuthHandlers,
  type SMTPConnectionSendInfo as SendInfo,
} from 'nodemailer/lib/smtp-connection'
/** Marks credentials as an access token. Without it nodemailer sends the token as a password. */
import XOAuth2 from 'nodemailer/lib/xoauth2'
import { AttemptError, type AttemptFailure } from './transport.ts'

export { type AuthContext, type AuthHandlers, type SendInfo, SmtpConnection, XOAuth2 }

/**
 * Lines of the EHLO reply, without codes and greeting. Private member: the public `SendInfo.ehlo`
 * has them only after a message, but size, DSN and SMTPUTF8 decide how the message is sent.
 */
export function ehloLinesOf(connection: SmtpConnection): readonly string[] {
  const { _ehloLines: lines = [] } = connection as unknown as { _ehloLines?: string[] }
  return lines
}

/** Properties that nodemailer adds to its errors. */
interface SmtpError extends Error {
  code?: string | undefined
  /** System error code if `code` is ESOCKET. */
  originalCode?: string | undefined
  response?: string | undefined
  responseCode?: number | undefined
  command?: string | undefined
  /** OpenSSL's reason. */
  reason?: string | undefined
}

/** Stored characters of a server reply. */
const maxReply = 2_000

/**
 * Converts an error of nodemailer. nodemailer reports every lost or late connection with the
 * command `CONN`; `during` replaces it with the actual command.
 */
export function toAttemptError(error: unknown, during: string): AttemptError {
  if (error instanceof AttemptError) return error
  return new AttemptError(toFailure(error as SmtpError, during), { cause: error })
}

export function toFailure(error: SmtpError, during: string): AttemptFailure {
  const { response, responseCode, command = 'CONN' } = error
  return defined({
    message: clean(messageOf(error)),
    code: codeOf(error),
    response: response === undefined ? undefined : clean(response),
    responseCode,
    command: command === 'CONN' || command === 'API' ? during : command,
  })
}

/** Error text without OpenSSL source lines and hints about Node options. */
function messageOf({ message, reason }: SmtpError): string {
  if (/:SSL routines:/.test(message)) return `TLS failed: ${reason ?? 'unknown reason'}`
  return message.replace(/; if the root CA is installed locally[^]*$/, '').trimEnd()
}

/** A connection lost during the TLS handshake is a lost connection, not a TLS failure. */
function codeOf({ code, originalCode, response, message }: SmtpError): string | undefined {
  if (code === 'ETLS' && response === undefined && message === 'Connection closed unexpectedly')
    return 'ECONNECTION'
  return code === 'ESOCKET' ? (originalCode ?? code) : code
}

/** Replaces control characters, which Postgres rejects, and limits the length. */
export function clean(reply: string): string {
  return reply.replace(/[\0-\x09\x0b-\x1f\x7f]+/g, ' ').slice(0, maxReply)
}
