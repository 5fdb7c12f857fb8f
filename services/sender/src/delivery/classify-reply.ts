import type { DeliveryFailure } from './delivery-error.ts'

/** Failures without a reply that come back the same every time: our own message, envelope or configuration. */
const permanentCodes = new Set([
  'EENVELOPE',
  'EMESSAGE',
  'EPROTOCOL',
  'ENOAUTH',
  'EEGRESSBLOCKED',
  'SMTPUnavailable',
  'AccountNotFound',
])

/** Replies to these are about the session and not about the message. */
const sessionCommands = /^(?:CONN|EHLO|HELO|AUTH)\b/

/**
 * Whether another attempt is pointless. A 5xx reply says so (RFC 5321 §4.2.1), with three exceptions: 503, which tells of a confusion
 * between the two of us; and replies to the greeting or to a login, which other messages of the account get as well and which the
 * operator or the user can put right in the meantime. What we did not foresee is temporary.
 */
export function isPermanentFailure({ code, responseCode, command = '' }: DeliveryFailure): boolean {
  if (responseCode === undefined) return code !== undefined && permanentCodes.has(code)
  return (
    responseCode >= 500 &&
    responseCode <= 599 &&
    responseCode !== 503 &&
    !sessionCommands.test(command)
  )
}

/**
 * Whom the failure says something about beside this message: the server cannot be used by anybody (`host`), or not by this account.
 * Whoever it is gets a pause, so that messages waiting behind do not use up their attempts on the same trouble.
 */
export function suspends({
  code = '',
  responseCode,
  command = '',
}: DeliveryFailure): 'host' | 'account' | undefined {
  if (command.startsWith('AUTH') || code === 'EAUTH') return 'account'
  if (['CONN', 'EHLO', 'HELO', 'STARTTLS'].includes(command) && code !== 'EEGRESSBLOCKED')
    return 'host'
  // RFC 5321 §3.8: the server closes the channel. And "not from you, not now" before the message was even looked at.
  if (responseCode === 421) return 'account'
  if (command === 'MAIL FROM' && responseCode !== undefined && responseCode < 500) return 'account'
  return undefined
}
