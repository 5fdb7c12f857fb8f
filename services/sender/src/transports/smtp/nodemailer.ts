/**
 * Adapter of nodemailer: connections, logins, private members and errors. No other module of the
 * sender imports nodemailer. The main entry of nodemailer offers pooled transports, which hide the
 * moment before the end of data, so the sender drives single connections. The tests in
 * nodemailer.test.ts fail if a new version changes a member that this module uses.
 */
import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import SmtpConnection, {
  type SMTPConnectionCustomAuthContext as AuthContext,
  type SMTPConnectionCustomAuthHandlers as AuthHandlers,
  type SMTPConnectionSendInfo as SendInfo,
} from 'nodemailer/lib/smtp-connection'
/**
 * nodemailer's mark of credentials as an access token. Without the mark nodemailer sends the token
 * as a password.
 */
import XOAuth2 from 'nodemailer/lib/xoauth2'
import type { AttemptFailure } from '../classify-reply.ts'
import { AttemptError } from '../transport.ts'

export { type SendInfo, SmtpConnection, XOAuth2 }

/**
 * Lines of the EHLO reply, without codes and greeting. Private member: the public `SendInfo.ehlo`
 * has the lines only after a message, but size, DSN and SMTPUTF8 decide how the message is sent.
 */
export function ehloLinesOf(connection: SmtpConnection): readonly string[] {
  const { _ehloLines: lines = [] } = connection as unknown as { _ehloLines?: string[] }
  return lines
}

/**
 * Recipients of an envelope that the server has accepted. Private member: nodemailer adds accepted
 * recipients to the given envelope, and reports them only with the reply to the end of data. The
 * intent record (`data_sent_at`) is committed before that reply.
 */
export function acceptedSoFar(envelope: object): readonly string[] {
  const { accepted = [] } = envelope as { accepted?: string[] }
  return accepted
}

/** Properties that nodemailer adds to its errors. */
interface SmtpError extends Error {
  code?: string | undefined
  /** System error code of a nodemailer error whose `code` is ESOCKET. */
  originalCode?: string | undefined
  response?: string | undefined
  responseCode?: number | undefined
  command?: string | undefined
  /** Reason that OpenSSL names for a TLS failure. */
  reason?: string | undefined
}

/** Maximum number of stored characters of an SMTP server's reply. */
const maxReply = 2_000

/**
 * Converts an error of nodemailer into the failure of a sending attempt. nodemailer reports every
 * lost or late connection with the command `CONN`; `during` replaces `CONN` with the actual
 * command.
 */
export function toAttemptError(error: unknown, during: string): AttemptError {
  if (error instanceof AttemptError) return error
  return new AttemptError(toFailure(error as SmtpError, during), { cause: error })
}

/** Failure of an SMTP command or session step to which the server did not reply in time. */
export function timeoutError(command: string, cause: unknown): AttemptError {
  return new AttemptError(
    { message: `No reply to ${command} in time`, code: 'ETIMEDOUT', command },
    { cause },
  )
}

export function toFailure(error: SmtpError, during: string): AttemptFailure {
  const { response, responseCode, command = 'CONN' } = error
  if (command === 'CONN' && response !== undefined && !isSmtpReply(response))
    return { message: 'The server does not respond with SMTP', code: 'EPROTOCOL', command: during }
  return defined({
    message: clean(messageOf(error)),
    code: codeOf(error),
    response: response === undefined ? undefined : clean(response),
    responseCode,
    command: command === 'CONN' || command === 'API' ? during : command,
  })
}

/**
 * True for an SMTP reply (RFC 5321 §4.2): three digits, the first from 2 to 5. Other text is the
 * banner of another service, which is not reported.
 */
function isSmtpReply(response: string): boolean {
  return /^[2-5]\d\d(?:[ -]|\r?\n|$)/.test(response)
}

/** Text of a nodemailer error, without OpenSSL source lines and hints about Node options. */
function messageOf({ message, reason }: SmtpError): string {
  if (/:SSL routines:/.test(message)) return `TLS failed: ${reason ?? 'unknown reason'}`
  if (message.startsWith('Hostname/IP does not match')) return 'The certificate is for another host'
  return message.replace(/; if the root CA is installed locally[^]*$/, '').trimEnd()
}

/**
 * Code of a nodemailer error. A connection lost during the TLS handshake counts as a lost
 * connection, not as a TLS failure.
 */
function codeOf({ code, originalCode, response, message }: SmtpError): string | undefined {
  if (code === 'ETLS' && response === undefined && message === 'Connection closed unexpectedly')
    return 'ECONNECTION'
  return code === 'ESOCKET' ? (originalCode ?? code) : code
}

/**
 * Replaces control characters, which Postgres rejects, in an SMTP server's reply, and limits the
 * length of the reply.
 */
export function clean(reply: string): string {
  return reply.replace(/[\0-\x09\x0b-\x1f\x7f]+/g, ' ').slice(0, maxReply)
}

export type TokenMechanism = 'XOAUTH2' | 'OAUTHBEARER'

export interface TokenLogin {
  user: string
  accessToken: string
  host: string
  port: number
}

/**
 * Login in the form that nodemailer expects: a password, or an access token for the handlers of
 * `tokenHandlers`.
 */
export function toNodemailerLogin(credentials: Credentials, mechanisms: readonly string[]) {
  const { user } = credentials
  if ('pass' in credentials) return { user, credentials: { user, pass: credentials.pass } }
  const oauth2 = new XOAuth2({ user, accessToken: credentials.accessToken })
  return { user, oauth2, method: tokenMechanism(mechanisms) }
}

/** SASL mechanism for an access token: XOAUTH2, unless the server offers OAUTHBEARER only. */
export function tokenMechanism(mechanisms: readonly string[]): TokenMechanism {
  return mechanisms.includes('OAUTHBEARER') && !mechanisms.includes('XOAUTH2')
    ? 'OAUTHBEARER'
    : 'XOAUTH2'
}

/**
 * Initial client response of an SMTP login with an access token: OAUTHBEARER by RFC 7628 §3.1,
 * XOAUTH2 by Google's description.
 */
export function initialResponse(
  mechanism: TokenMechanism,
  { user, accessToken, host, port }: TokenLogin,
): string {
  const fields =
    mechanism === 'XOAUTH2'
      ? [`user=${user}`, `auth=Bearer ${accessToken}`, '', '']
      : [
          `n,a=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},`,
          `host=${host}`,
          `port=${port}`,
          `auth=Bearer ${accessToken}`,
          '',
          '',
        ]
  return Buffer.from(fields.join('\x01')).toString('base64')
}

/**
 * Authentication handlers of nodemailer for both SASL mechanisms with an access token (XOAUTH2,
 * OAUTHBEARER).
 */
export function tokenHandlers(login: TokenLogin): AuthHandlers {
  const handler = (mechanism: TokenMechanism) => (context: AuthContext) =>
    authenticate(context, `AUTH ${mechanism} ${initialResponse(mechanism, login)}`, mechanism)
  return { XOAUTH2: handler('XOAUTH2'), OAUTHBEARER: handler('OAUTHBEARER') }
}

async function authenticate(
  context: AuthContext,
  command: string,
  mechanism: TokenMechanism,
): Promise<void> {
  const { response } = await context.sendCommand(command)
  if (/^2\d\d/.test(response)) return
  // RFC 7628 §3.2.3: the error of a rejected access token arrives in a challenge, which the client
  // answers before the 5xx reply.
  const last = response.startsWith('334')
    ? await context.sendCommand(mechanism === 'XOAUTH2' ? '' : 'AQ==')
    : undefined
  if (last && /^2\d\d/.test(last.response)) return
  throw new Error('The server refused the access token')
}

/** True if the mail server rejected an access token permanently. */
export function isRejectedToken(error: unknown, credentials: Credentials | undefined): boolean {
  if (!credentials || !('accessToken' in credentials) || !(error instanceof AttemptError))
    return false
  const { command = '', responseCode = 0 } = error.outcome.failure
  return command.startsWith('AUTH') && responseCode >= 500
}
