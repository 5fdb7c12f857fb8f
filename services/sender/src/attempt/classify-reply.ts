import type { AttemptFailure } from '../transports/transport.ts'

export interface ReplyClass {
  /** Another attempt is pointless. */
  permanent: boolean
  /**
   * Whom the failure says something about beside this message: the server cannot be used by anybody (`host`), or not by this account.
   * Whoever it is gets a pause, so that messages waiting behind do not use up their attempts on the same trouble.
   */
  suspends?: 'host' | 'account'
}

/** Failures without a reply that come back the same every time: our own message, envelope or configuration. */
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

/** Replies to these are about the session and not about the message. */
const sessionCommands = /^(?:CONN|EHLO|HELO|AUTH)\b/
/** Before anybody has said who it is. */
const openings = new Set(['CONN', 'EHLO', 'HELO', 'STARTTLS'])
/** What TLS ends with: whether a certificate or a version will do is for each account to say. */
const tlsCodes =
  /^(?:ETLS|EPROTO|ERR_(?:SSL|TLS)_.*|CERT_.*|DEPTH_.*|SELF_SIGNED_.*|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

/** What a failure means: the only place that says so. What we did not foresee is temporary, and about this message alone. */
export function classifyReply(failure: AttemptFailure): ReplyClass {
  const whom = suspendedBy(failure)
  return { permanent: isPermanent(failure), ...(whom ? { suspends: whom } : {}) }
}

/**
 * A 5xx reply says so (RFC 5321 §4.2.1), with three exceptions: 503, which tells of a confusion between the two of us; and replies to
 * the greeting or to a login, which other messages of the account get as well and which the operator or the user can put right in the
 * meantime. Without a reply it is the code that tells.
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

function suspendedBy(failure: AttemptFailure): ReplyClass['suspends'] {
  const { code, responseCode = 0, command = '' } = failure
  const forNow = responseCode >= 400 && responseCode < 500
  if (code === 'EEGRESSBLOCKED') return undefined
  if (isAccounts(failure) || (isTls(failure) && !forNow)) return 'account'
  if (openings.has(command)) return 'host'
  // RFC 5321 §3.8: the server closes the channel. And "not from you, not now" before the message was even looked at.
  return responseCode === 421 || (command === 'MAIL FROM' && forNow) ? 'account' : undefined
}

/** Its login, or its proxy. */
function isAccounts({ code, command }: AttemptFailure): boolean {
  return code === 'EAUTH' || code === 'EPROXY' || command?.startsWith('AUTH') === true
}

function isTls({ code }: AttemptFailure): boolean {
  return code !== undefined && tlsCodes.test(code)
}
