import type { Credentials } from '@posthorn/contracts'
import { type AuthContext, type AuthHandlers, XOAuth2 } from './nodemailer.ts'
import type { EhloOffers } from './smtp-envelope.ts'
import { AttemptError } from './transport.ts'

export type TokenMechanism = 'XOAUTH2' | 'OAUTHBEARER'

export interface TokenLogin {
  user: string
  accessToken: string
  host: string
  port: number
}

/** Login as nodemailer expects it: a password, or a token for the handlers of `tokenHandlers`. */
export function toNodemailerLogin(credentials: Credentials, offers: EhloOffers) {
  const { user } = credentials
  if ('pass' in credentials) return { user, credentials: { user, pass: credentials.pass } }
  const oauth2 = new XOAuth2({ user, accessToken: credentials.accessToken })
  return { user, oauth2, method: tokenMechanism(offers) }
}

/** SASL mechanism for an access token: XOAUTH2, unless the server offers OAUTHBEARER only. */
export function tokenMechanism({ mechanisms }: EhloOffers): TokenMechanism {
  return mechanisms.includes('OAUTHBEARER') && !mechanisms.includes('XOAUTH2')
    ? 'OAUTHBEARER'
    : 'XOAUTH2'
}

/** Initial client response: RFC 7628 §3.1, and Google's description of XOAUTH2. */
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

/** Authentication handlers of nodemailer for both token mechanisms. */
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
  // RFC 7628 §3.2.3: the error arrives in a challenge, which the client answers before the 5xx.
  const last = response.startsWith('334')
    ? await context.sendCommand(mechanism === 'XOAUTH2' ? '' : 'AQ==')
    : undefined
  if (last && /^2\d\d/.test(last.response)) return
  throw new Error('The server refused the access token')
}

/** True if the server rejected an access token permanently. */
export function isRejectedToken(error: unknown, credentials: Credentials | undefined): boolean {
  if (!credentials || !('accessToken' in credentials) || !(error instanceof AttemptError))
    return false
  const { command = '', responseCode = 0 } = error.failure
  return command.startsWith('AUTH') && responseCode >= 500
}
