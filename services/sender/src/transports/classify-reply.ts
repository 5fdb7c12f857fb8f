import { defined } from '@posthorn/contracts/defined'
import type { OutboxError } from '@posthorn/db'

/**
 * Cause of a failed sending attempt, as stored in the outbox and reported in events.
 *
 * - `code`: short identifier: `EAUTH`, `ECONNREFUSED`, `EENVELOPE`, …
 * - `response`, `responseCode`: reply of the server
 * - `command`: SMTP command during which the failure happened, such as `RCPT TO`. `CONN` stands for
 *   the connection to the server
 */
export type AttemptFailure = OutboxError

/**
 * Consequences of a failed sending attempt for the message, and for other messages to the server.
 */
export interface ReplyClass {
  /** True if another attempt to send the same message would also fail. */
  permanent: boolean
  /**
   * Lane (limit of submissions) that the failure concerns beyond this message: the mail server for
   * all accounts (`host`), or the mail server for this account (`account`). The lane is suspended,
   * so that other messages keep their attempts.
   */
  suspends?: 'host' | 'account'
}

/**
 * Error codes of failed sending attempts without a server reply that would recur in a new attempt.
 * The message, the envelope or the settings cause such a failure.
 */
const permanentCodes = new Set([
  'EAUTH',
  'ENOAUTH',
  'EOAUTH2',
  'ETLS',
  'EENVELOPE',
  'EMESSAGE',
  'EPROTOCOL',
  'ESMTPUTF8',
  'ELISTLEFT',
  'EEGRESSBLOCKED',
  'SMTPUnavailable',
  'AccountNotFound',
  'GatewayNotFound',
])

/** SMTP commands whose replies concern the SMTP session, not a single message. */
const sessionCommands = /^(?:CONN|EHLO|HELO|AUTH)\b/
/** SMTP commands that precede the login. */
const unauthenticated = new Set(['CONN', 'EHLO', 'HELO', 'STARTTLS'])
/**
 * Codes of TLS failures. Such a failure concerns the account: each account decides which
 * certificates and TLS versions it accepts.
 */
const tlsCodes =
  /^(?:ETLS|EPROTO|ERR_(?:SSL|TLS)_.*|CERT_.*|DEPTH_.*|SELF_SIGNED_.*|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

/**
 * Classifies the failure of a sending attempt. Unknown failures are temporary and concern only the
 * message.
 */
export function classifyReply(failure: AttemptFailure): ReplyClass {
  return defined({ permanent: isPermanent(failure), suspends: suspendedLane(failure) })
}

/**
 * True if another sending attempt would also fail. A 5xx reply is permanent (RFC 5321 §4.2.1), with
 * two exceptions. 503 reports a protocol state error. Replies to the greeting or the login affect
 * all messages of the account, and an operator can fix the cause. Without a reply the code decides.
 */
function isPermanent({ code, responseCode, command = '' }: AttemptFailure): boolean {
  if (responseCode === undefined) return code !== undefined && permanentCodes.has(code)
  return (
    responseCode >= 500 &&
    responseCode <= 599 &&
    responseCode !== 503 &&
    !sessionCommands.test(command)
  )
}

function suspendedLane(failure: AttemptFailure): ReplyClass['suspends'] {
  const { code, responseCode = 0, command = '' } = failure
  const isTemporary = responseCode >= 400 && responseCode < 500
  if (code === 'EEGRESSBLOCKED') return undefined
  if (isLoginOrProxy(failure) || (isTls(failure) && !isTemporary)) return 'account'
  if (unauthenticated.has(command)) return 'host'
  // Suspends submissions of the account after a 421 reply, with which the server closes the channel
  // (RFC 5321 §3.8), and after a temporary reply to MAIL FROM, which rejects the sender before the
  // server has seen the message.
  return responseCode === 421 || (command === 'MAIL FROM' && isTemporary) ? 'account' : undefined
}

function isLoginOrProxy({ code, command }: AttemptFailure): boolean {
  return code === 'EAUTH' || code === 'EPROXY' || command?.startsWith('AUTH') === true
}

function isTls({ code }: AttemptFailure): boolean {
  return code !== undefined && tlsCodes.test(code)
}
