import type { Credentials } from '@posthorn/contracts'
import type {
  SMTPConnectionCustomAuthContext,
  SMTPConnectionCustomAuthHandlers,
} from 'nodemailer/lib/smtp-connection'
import { AttemptError } from './stage-errors.ts'
import type { Offers } from './offers.ts'

export type TokenMechanism = 'XOAUTH2' | 'OAUTHBEARER'

/** The way to log in with an access token: XOAUTH2, unless the server offers OAUTHBEARER alone. */
export function tokenMechanism({ mechanisms }: Offers): TokenMechanism {
  return mechanisms.includes('OAUTHBEARER') && !mechanisms.includes('XOAUTH2')
    ? 'OAUTHBEARER'
    : 'XOAUTH2'
}

export interface TokenLogin {
  user: string
  accessToken: string
  host: string
  port: number
}

/** What the client says first. RFC 7628 §3.1, and Google's description of XOAUTH2. */
export function initialResponse(
  mechanism: TokenMechanism,
  { user, accessToken, host, port }: TokenLogin,
): string {
  const words =
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
  return Buffer.from(words.join('\x01')).toString('base64')
}

/** Both logins, as nodemailer has them plugged in. */
export function tokenLogins(login: TokenLogin): SMTPConnectionCustomAuthHandlers {
  const handler = (mechanism: TokenMechanism) => (context: SMTPConnectionCustomAuthContext) =>
    talk(context, `AUTH ${mechanism} ${initialResponse(mechanism, login)}`, mechanism)
  return { XOAUTH2: handler('XOAUTH2'), OAUTHBEARER: handler('OAUTHBEARER') }
}

async function talk(
  context: SMTPConnectionCustomAuthContext,
  command: string,
  mechanism: TokenMechanism,
): Promise<void> {
  const { response } = await context.sendCommand(command)
  if (/^2\d\d/.test(response)) return
  // A refusal is told in a challenge, which has to be answered before the server says no: RFC 7628 §3.2.3.
  const last = response.startsWith('334')
    ? await context.sendCommand(mechanism === 'XOAUTH2' ? '' : 'AQ==')
    : undefined
  if (last && /^2\d\d/.test(last.response)) return
  throw new Error('The server refused the access token')
}

/** A server has said no to an access token, and not "not now". */
export function isRefusedToken(error: unknown, credentials: Credentials | undefined): boolean {
  if (!credentials || !('accessToken' in credentials) || !(error instanceof AttemptError))
    return false
  const { command = '', responseCode = 0 } = error.failure
  return command.startsWith('AUTH') && responseCode >= 500
}

export function isSame(one: Credentials, other: Credentials | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
