import type { Credentials } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { isLimit, type Outcome, type UpstreamLines } from './upstream-lines.ts'

export interface LoginTarget {
  lines: UpstreamLines
  capabilities: ReadonlySet<string>
  host: string
  port: number
}

/**
 * Logs in with what the server offers: a token by XOAUTH2 or OAUTHBEARER, a password by PLAIN or LOGIN. Returns what the server can do
 * from now on, where it says so by itself.
 *
 * @throws AppError `rejected` when the server refuses the credentials, `rate-limited` when it takes no more sessions, `unreachable`
 * for everything that may pass.
 */
export async function logIn(
  target: LoginTarget,
  credentials: Credentials,
): Promise<Set<string> | undefined> {
  const { user } = credentials
  const secret = 'pass' in credentials ? credentials.pass : credentials.accessToken
  // NUL and ^A separate the fields of SASL messages; neither is in any name or password one can type.
  if (/[\0\x01]/.test(user + secret))
    throw new AppError('rejected', 'The stored credentials cannot be used')
  const outcome =
    'pass' in credentials
      ? await withPassword(target, credentials)
      : await withToken(target, credentials)
  if (outcome.status !== 'OK') throw refusal(outcome)
  return outcome.capabilities
}

function withToken(
  { lines, capabilities, host, port }: LoginTarget,
  { user, accessToken }: { user: string; accessToken: string },
) {
  if (capabilities.has('AUTH=XOAUTH2') || !capabilities.has('AUTH=OAUTHBEARER'))
    return authenticate(lines, capabilities, {
      mechanism: 'XOAUTH2',
      message: `user=${user}\x01auth=Bearer ${accessToken}\x01\x01`,
    })
  // RFC 7628 §3.1; RFC 5801 §4 for the escapes.
  const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C')
  const message = `n,a=${name},\x01host=${host}\x01port=${port}\x01auth=Bearer ${accessToken}\x01\x01`
  // RFC 7628 §3.2.3: the server explains a refusal first, and is answered with ^A.
  return authenticate(lines, capabilities, { mechanism: 'OAUTHBEARER', message, onError: 'AQ==' })
}

function withPassword(
  { lines, capabilities }: LoginTarget,
  { user, pass }: { user: string; pass: string },
) {
  if (capabilities.has('AUTH=PLAIN'))
    return authenticate(lines, capabilities, { mechanism: 'PLAIN', message: `\0${user}\0${pass}` })
  if (capabilities.has('LOGINDISABLED'))
    throw new AppError('unreachable', 'The mail server offers no way to log in with a password')
  const [first = '', ...answers] = loginCommand([user, pass], capabilities.has('LITERAL+'))
  return lines.command(first, answers)
}

interface Sasl {
  mechanism: string
  message: string
  /** What the server is told when it goes on after the message; an empty line if absent. */
  onError?: string
}

function authenticate(
  lines: UpstreamLines,
  capabilities: ReadonlySet<string>,
  sasl: Sasl,
): Promise<Outcome> {
  const { mechanism, message, onError = '' } = sasl
  const encoded = Buffer.from(message).toString('base64')
  // RFC 4959: the message goes along where the server can take it.
  return capabilities.has('SASL-IR')
    ? lines.command(`AUTHENTICATE ${mechanism} ${encoded}`, [onError])
    : lines.command(`AUTHENTICATE ${mechanism}`, [encoded, onError])
}

/** The lines of a LOGIN; each but the first is sent when the server asks to go on. What does not fit between quotes is a literal. */
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

/** RFC 5530: codes that speak of the server's state and not of the login. */
const passing = /^\[(?:UNAVAILABLE|SERVERBUG|INUSE|CORRUPTION)\]/i

function refusal({ status, text }: Outcome): AppError {
  if (isLimit(text))
    return new AppError('rate-limited', 'The mail server takes no more connections of this account')
  if (status === 'BAD' || passing.test(text))
    return new AppError('unreachable', 'The mail server cannot log in now')
  return new AppError('rejected', 'The mail server refused the stored credentials')
}
