import { defined } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { HttpCaller } from '@posthorn/net'
import { parseObject } from '../parse-object.ts'
import type { Application } from './application.ts'
import { findEndpoints } from './endpoints.ts'
import type { TokenResponse } from './token-endpoint.ts'

/** User described by an id token or a userinfo endpoint. */
export interface Identity {
  email?: string
  /** True if the provider has not verified `email`. It then proves nothing. */
  unverified?: true
  name?: string
  /** Identifier of the user at the provider. */
  subject?: string
}

type Claims = Record<string, unknown>

/**
 * Finds the owner of a grant: from the id token, else from the userinfo endpoint.
 *
 * @throws AppError `unreachable` if the provider does not respond, `rejected` if it has no address
 */
export async function identify(
  { http }: { http: Pick<HttpCaller, 'call'> },
  app: Application,
  { accessToken, idToken }: TokenResponse,
): Promise<Identity & { email: string }> {
  const fromToken = readIdToken(idToken, app.clientId)
  if (fromToken?.email !== undefined) return { ...fromToken, email: fromToken.email }
  const { userinfoUrl } = await findEndpoints({ http }, app)
  const fromUserinfo =
    userinfoUrl === undefined
      ? {}
      : await requestUserinfo({ http }, app, { userinfoUrl, accessToken })
  const { email } = fromUserinfo
  if (email === undefined || hasOtherSubject(fromUserinfo, fromToken))
    throw new AppError('rejected', 'The provider returned no email address of the user')
  return { ...fromToken, ...fromUserinfo, email }
}

/** OpenID Connect Core 1.0 §5.3.2: a response about another user must not be used. */
function hasOtherSubject({ subject }: Identity, fromToken: Identity | undefined): boolean {
  return fromToken?.subject !== undefined && subject !== undefined && subject !== fromToken.subject
}

async function requestUserinfo(
  { http }: { http: Pick<HttpCaller, 'call'> },
  { profile }: Application,
  { userinfoUrl, accessToken }: { userinfoUrl: string; accessToken: string },
): Promise<Identity> {
  const { userinfoTokenInQuery } = profile
  const url = new URL(userinfoUrl)
  if (userinfoTokenInQuery) url.searchParams.set('access_token', accessToken)
  const authorization = userinfoTokenInQuery ? undefined : `Bearer ${accessToken}`
  const { status, body, error } = await http.call({
    method: 'GET',
    url: url.href,
    headers: { accept: 'application/json', ...defined({ authorization }) },
  })
  if (status === undefined || error !== undefined || status >= 500)
    throw new AppError('unreachable', 'The userinfo request to the provider failed', {
      code: 'ETokenRefresh',
    })
  const claims = status === 200 ? parseObject(body.toString('utf8')) : undefined
  return claims ? identityOf(claims) : {}
}

/**
 * Reads an id token received from the token endpoint. TLS replaces the signature check (OpenID
 * Connect Core 1.0 §3.1.3.7, 6). Undefined if its audience is not this client.
 */
export function readIdToken(token: unknown, clientId: string): Identity | undefined {
  if (typeof token !== 'string') return undefined
  const claims = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const audience = claims?.['aud']
  const isForClient = Array.isArray(audience) ? audience.includes(clientId) : audience === clientId
  return claims && isForClient ? identityOf(claims) : undefined
}

/**
 * Converts claims (OpenID Connect Core 1.0 §5.1). An address without `email_verified` counts as
 * verified.
 */
export function identityOf(claims: Claims): Identity {
  const email = addressesIn(claims).find(
    (value): value is string => typeof value === 'string' && value.includes('@') && isShort(value),
  )
  const { name, sub } = claims
  return defined({
    email,
    unverified: isDenied(claims['email_verified']) ? (true as const) : undefined,
    name: typeof name === 'string' && name !== '' && isShort(name) ? name : undefined,
    subject: typeof sub === 'string' ? sub : undefined,
  })
}

/**
 * Candidates for the address, best first. Without `email` the login name is `preferred_username`.
 *
 * Microsoft tokens (with `tid`) prefer the login name, which lies in a domain the tenant owns. An
 * administrator can write any `email`, so it counts only with the optional claim `xms_edov`. Login
 * names of guests contain `#EXT#` and are skipped.
 */
function addressesIn(claims: Claims): unknown[] {
  const { email, preferred_username: name, upn, tid } = claims
  if (typeof tid !== 'string') return [email, name, upn]
  const isOwned = /^(?:true|1)$/i.test(String(claims['xms_edov']))
  return [...(isOwned ? [email] : []), ...[name, upn].filter((value) => !/#/.test(String(value)))]
}

/** Accepts text as well: some providers send the boolean as a string. */
function isDenied(verified: unknown): boolean {
  return verified === false || verified === 0 || /^(?:false|0|no)$/i.test(String(verified))
}

function isShort(text: string): boolean {
  return text.length <= 256 && !/[\0\r\n]/.test(text)
}
