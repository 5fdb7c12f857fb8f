import { defined } from '@posthorn/contracts'
import { AttemptError, type AttemptFailure } from './transport.ts'

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

/** Exchange Online replaces the Message-ID: `250 2.0.0 OK <id@….prod.outlook.com> [Hostname=…]`. */
const outlook = /^250[ -]2\.0\.0 OK (<[^<>\s]{1,900}@[^<>\s]+\.prod\.outlook\.com>)/i
/** Exchange Server: `250 2.6.0 <id> [InternalId=…] Queued mail for delivery`. */
const exchange = /^250[ -]2\.6\.0 (<[^<>\s]{1,900}@[^<>\s]+>) \[InternalId=/i
/** Amazon SES: `250 Ok 0102018b5c3c0a4f-…-000000`, the local part of the new Message-ID. */
const ses = /^250 Ok ([0-9a-f]{8,32}(?:-[0-9a-f]{1,32})+)$/i
/** `us-east-1`, `ap-southeast-2`, `us-gov-west-1`. */
const region = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/

/**
 * Message-ID under which a server relays the message, if its final reply names one. `host` is the
 * server's name: only replies of Amazon's hosts are read as SES ids.
 */
export function serverMessageIdOf(response: string, host: string): string | undefined {
  const reply = response.trim()
  const messageId = outlook.exec(reply)?.[1] ?? exchange.exec(reply)?.[1]
  if (messageId !== undefined) return messageId
  const local = ses.exec(reply)?.[1]
  const domain = local === undefined ? undefined : sesDomain(host)
  return domain === undefined ? undefined : `<${local?.toLowerCase()}@${domain}>`
}

/** `email.amazonses.com` in us-east-1, `<region>.amazonses.com` elsewhere. */
function sesDomain(host: string): string | undefined {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  const domain = labels.splice(-2).join('.')
  if (domain !== 'amazonaws.com' && domain !== 'awsapps.com') return undefined
  const label = labels.find((each) => region.test(each))
  return label && `${label === 'us-east-1' ? 'email' : label}.amazonses.com`
}
