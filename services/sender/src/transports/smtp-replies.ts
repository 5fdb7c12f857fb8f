import { AttemptError, type AttemptFailure, type SmtpCommand } from './stage-errors.ts'

/** What nodemailer hangs on its errors. */
interface SmtpError extends Error {
  code?: string | undefined
  /** The system's code, where `code` says ESOCKET. */
  originalCode?: string | undefined
  response?: string | undefined
  responseCode?: number | undefined
  command?: string | undefined
  /** What OpenSSL says. */
  reason?: string | undefined
}

/** Bytes of a server's reply that are kept. */
const maxReply = 2_000

/** nodemailer reports a lost or late connection as `CONN` whenever it happens: `during` says what was going on. */
export function toDeliveryError(error: unknown, during: SmtpCommand): AttemptError {
  if (error instanceof AttemptError) return error
  return new AttemptError(toFailure(error as SmtpError, during), { cause: error })
}

export function toFailure(error: SmtpError, during: SmtpCommand): AttemptFailure {
  const { response, responseCode } = error
  const code = codeOf(error)
  const command =
    error.command === undefined || error.command === 'CONN' || error.command === 'API'
      ? during
      : error.command
  return {
    message: clean(wordsOf(error)),
    ...(code === undefined ? {} : { code }),
    ...(response === undefined ? {} : { response: clean(response) }),
    ...(responseCode === undefined ? {} : { responseCode }),
    command,
  }
}

/** What went wrong, without what is for those alone who run or build the process: source lines of OpenSSL, options of Node. */
function wordsOf({ message, reason }: SmtpError): string {
  if (/:SSL routines:/.test(message)) return `TLS failed: ${reason ?? 'no reason is known'}`
  return message.replace(/; if the root CA is installed locally[^]*$/, '').trimEnd()
}

/** A connection that was lost during the handshake is a lost one: TLS has said nothing. */
function codeOf({ code, originalCode, response, message }: SmtpError): string | undefined {
  if (code === 'ETLS' && response === undefined && message === 'Connection closed unexpectedly')
    return 'ECONNECTION'
  return code === 'ESOCKET' ? (originalCode ?? code) : code
}

/** Goes into events and into Postgres: without NUL and other controls, and not without end. */
export function clean(reply: string): string {
  return reply.replace(/[\0-\x09\x0b-\x1f\x7f]+/g, ' ').slice(0, maxReply)
}
