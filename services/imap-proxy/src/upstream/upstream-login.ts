import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { AppError } from '@posthorn/errors'
import { connectionLimitError, type TaggedResponse, type UpstreamLines } from './upstream-lines.ts'

export interface LoginTarget {
  lines: UpstreamLines
  capabilities: ReadonlySet<string>
  host: string
  port: number
}

/**
 * Logs in at the mail server with a SASL mechanism or command that the server offers: access tokens
 * by XOAUTH2 or OAUTHBEARER, passwords by PLAIN or LOGIN. Returns the capabilities if the server
 * announces them.
 *
 * @throws AppError `rejected` for rejected credentials, `rate-limited` if the server accepts no
 * more sessions, `unreachable` for temporary failures
 */
export async function logInUpstream(
  target: LoginTarget,
  credentials: Credentials,
): Promise<Set<string> | undefined> {
  const { user } = credentials
  const secret = 'pass' in credentials ? credentials.pass : credentials.accessToken
  // Rejects logins with NUL or ^A, which separate the fields of SASL messages and cannot be part of
  // a typed login.
  if (/[\0\x01]/.test(user + secret))
    throw new AppError('rejected', 'The stored credentials contain control characters')
  const outcome =
    'pass' in credentials
      ? await authenticateWithPassword(target, credentials)
      : await authenticateWithToken(target, credentials)
  if (outcome.status !== 'OK') throw rejection(outcome)
  return outcome.capabilities
}

function authenticateWithToken(
  { lines, capabilities, host, port }: LoginTarget,
  { user, accessToken }: { user: string; accessToken: string },
) {
  if (capabilities.has('AUTH=XOAUTH2') || !capabilities.has('AUTH=OAUTHBEARER'))
    return authenticate(lines, capabilities, {
      mechanism: 'XOAUTH2',
      message: `user=${user}\x01auth=Bearer ${accessToken}\x01\x01`,
    })
  // OAUTHBEARER message of RFC 7628 §3.1, with the user name escaped as in RFC 5801 §4.
  const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C')
  const message = `n,a=${name},\x01host=${host}\x01port=${port}\x01auth=Bearer ${accessToken}\x01\x01`
  // If the mail server rejects the access token, it first explains the rejection, and the client
  // replies with ^A (RFC 7628 §3.2.3).
  return authenticate(lines, capabilities, { mechanism: 'OAUTHBEARER', message, onError: 'AQ==' })
}

function authenticateWithPassword(
  { lines, capabilities }: LoginTarget,
  { user, pass }: { user: string; pass: string },
) {
  if (capabilities.has('AUTH=PLAIN'))
    return authenticate(lines, capabilities, { mechanism: 'PLAIN', message: `\0${user}\0${pass}` })
  if (capabilities.has('LOGINDISABLED'))
    throw new AppError('unreachable', 'The mail server offers no password login')
  const [first = '', ...continuations] = loginCommand([user, pass], capabilities.has('LITERAL+'))
  return lines.command(first, continuations)
}

interface SaslExchange {
  mechanism: string
  message: string
  /** Reply to a `+` of the mail server after the SASL message; defaults to an empty line. */
  onError?: string
}

function authenticate(
  lines: UpstreamLines,
  capabilities: ReadonlySet<string>,
  sasl: SaslExchange,
): Promise<TaggedResponse> {
  const { mechanism, message, onError = '' } = sasl
  const encoded = Buffer.from(message).toString('base64')
  // RFC 4959: with SASL-IR the SASL message is part of the AUTHENTICATE command.
  return capabilities.has('SASL-IR')
    ? lines.command(`AUTHENTICATE ${mechanism} ${encoded}`, [onError])
    : lines.command(`AUTHENTICATE ${mechanism}`, [encoded, onError])
}

/**
 * Returns the IMAP command LOGIN and its continuations. Words that cannot be quoted are literals.
 */
export function loginCommand(words: readonly string[], nonSync: boolean): string[] {
  const lines = ['LOGIN']
  const append = (text: string) => lines.push((lines.pop() ?? '') + text)
  for (const word of words) {
    if (/^[\x20-\x7e]{0,500}$/.test(word)) {
      append(` "${word.replace(/["\\]/g, '\\$&')}"`)
      continue
    }
    const size = Buffer.byteLength(word)
    if (nonSync) append(` {${size}+}\r\n${word}`)
    else {
      append(` {${size}}`)
      lines.push(word)
    }
  }
  return lines
}

/** Response codes for temporary failures of the mail server (RFC 5530). */
const temporary = /^\[(?:UNAVAILABLE|SERVERBUG|INUSE|CORRUPTION)\]/i

function rejection({ status, text }: TaggedResponse): AppError {
  const limit = connectionLimitError(text)
  if (limit) return limit
  if (status === 'BAD' || temporary.test(text))
    return new AppError('unreachable', 'The mail server reports a temporary login failure')
  return new AppError('rejected', 'The mail server rejected the stored credentials')
}
