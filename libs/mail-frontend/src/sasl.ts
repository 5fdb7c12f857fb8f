/**
 * Login of a mail client: account id with an access token or the server password, which admits a
 * mail client to every account.
 */
export interface ClientLogin {
  account: string
  secret: string
}

/**
 * Parses the message of a mail client in a SASL mechanism. Returns undefined if the message is
 * invalid.
 */
export type SaslParser = (message: string) => ClientLogin | undefined

/**
 * Parses a message of the SASL mechanism PLAIN (RFC 4616 §2): authorization id, NUL, user name,
 * NUL, password.
 */
function parsePlain(message: string): ClientLogin | undefined {
  const [authorize, account, secret, ...more] = message.split('\0')
  if (account === undefined || secret === undefined || more.length > 0) return undefined
  // A PLAIN login with the authorization id of another user is not supported. The empty secret
  // makes such a login fail.
  return { account, secret: authorize === '' || authorize === account ? secret : '' }
}

/**
 * Parses an OAUTHBEARER message (RFC 7628 §3.1): header with the user name, then fields separated
 * by ^A. One field has the token.
 */
function parseOAuthBearer(message: string): ClientLogin | undefined {
  const [, name, fields = ''] = /^[ny],a=([^,\x01]*),\x01(.*\x01)\x01$/s.exec(message) ?? []
  const secret = bearerOf(fields)
  if (name === undefined || secret === undefined) return undefined
  // User names in OAUTHBEARER have the escapes `=2C` and `=3D` (RFC 5801 §4).
  return { account: name.replace(/=2C/gi, ',').replace(/=3D/gi, '='), secret }
}

/** Parses a message of the SASL mechanism XOAUTH2, as documented by Google and Microsoft. */
function parseXoauth2(message: string): ClientLogin | undefined {
  const [, account, fields = ''] = /^user=([^\x01]*)\x01(.*\x01)\x01$/s.exec(message) ?? []
  const secret = bearerOf(fields)
  return account === undefined || secret === undefined ? undefined : { account, secret }
}

function bearerOf(fields: string): string | undefined {
  const field = fields.split('\x01').find((text) => /^auth=/i.test(text))
  return /^auth=Bearer +(\S+)$/i.exec(field ?? '')?.[1]
}

/**
 * Error of a bearer token as base64 text, sent to the mail client before the login is rejected (RFC
 * 7628 §3.2.2).
 */
export function bearerError(mechanism: string): string {
  // The error of an XOAUTH2 login has the HTTP status instead of the error code of OAuth2.
  const status = mechanism === 'XOAUTH2' ? '401' : 'invalid_token'
  return Buffer.from(JSON.stringify({ status, schemes: 'bearer' })).toString('base64')
}

/**
 * Parsers of the SASL mechanisms for mail clients, by name. The bearer token is the same access
 * token that LOGIN accepts.
 */
export const mechanisms: ReadonlyMap<string, SaslParser> = new Map([
  ['PLAIN', parsePlain],
  ['OAUTHBEARER', parseOAuthBearer],
  ['XOAUTH2', parseXoauth2],
])

/**
 * Decodes a SASL response from base64. `=` (RFC 4959 §3) and invalid base64 give an empty
 * response.
 */
export function decodeResponse(text: string): string {
  const valid = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0
  return valid ? Buffer.from(text, 'base64').toString('utf8') : ''
}
