import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { HttpCaller } from '@posthorn/net/http-caller'
import { parseObject } from '../parse-object.ts'
import type { Application } from './application.ts'
import { findEndpoints } from './endpoints.ts'
import type { TokenResponse } from './token-endpoint.ts'

/** User described by an id token or a userinfo endpoint. */
export interface Identity {
  email?: string
  /** True if the OAuth2 provider has not verified `email`. An unverified `email` proves nothing. */
  unverified?: true
  name?: string
  /** Identifier of the user at the OAuth2 provider. */
  subject?: string
}

type Claims = Record<string, unknown>

interface IdentityDeps {
  http: Pick<HttpCaller, 'call'>
  now?: () => number
}

/**
 * Finds the owner of an OAuth2 grant: from the id token, else from the userinfo endpoint. An id
 * token that fails a check is ignored.
 *
 * @throws AppError `unreachable` if the provider does not respond, `rejected` if the owner has no
 * address
 */
export async function identify(
  { http, now = Date.now }: IdentityDeps,
  app: Application,
  { accessToken, idToken }: TokenResponse,
): Promise<Identity & { email: string }> {
  const claims = parseIdToken(idToken)
  const { clientId, profile } = app
  const expected = { clientId, issuers: profile.issuers, now: now() }
  const fromToken = claims && isValidFor(expected, claims) ? identityOf(claims) : undefined
  if (fromToken?.email !== undefined) return { ...fromToken, email: fromToken.email }
  const { userinfoUrl } = await findEndpoints({ http }, app)
  const fromUserinfo =
    userinfoUrl === undefined
      ? {}
      : await requestUserinfo({ http }, app, { userinfoUrl, accessToken })
  const { email } = fromUserinfo
  if (email === undefined || hasOtherSubject(fromUserinfo, fromToken))
    throw new AppError('rejected', 'The provider returned no email address of the user')
  // An address from Microsoft's userinfo endpoint counts as unverified. The administrator of any
  // tenant can write any address, and userinfo does not name the tenant.
  const isOfTenant = typeof claims?.['tid'] === 'string' || isMicrosoft(userinfoUrl)
  const unverified = isOfTenant ? (true as const) : undefined
  return { ...fromToken, ...fromUserinfo, ...defined({ unverified }), email }
}

/** Hosts of the userinfo endpoints of Microsoft's clouds. */
const microsoftHosts =
  /(?:^|\.)(?:microsoft\.(?:com|us)|microsoftonline\.(?:com|us|cn)|chinacloudapi\.cn)$/

function isMicrosoft(url: string | undefined): boolean {
  return url !== undefined && microsoftHosts.test(URL.parse(url)?.hostname ?? '')
}

/**
 * True if a userinfo response is about another user than the id token. Such a response must not be
 * used (OpenID Connect Core 1.0 §5.3.2).
 */
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

/** Parses the claims of an id token (RFC 7519 §3) without checking them. */
export function parseIdToken(token: unknown): Claims | undefined {
  if (typeof token !== 'string') return undefined
  return parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
}

/** Claim values that a valid id token must have. `now` is in epoch milliseconds. */
interface ExpectedToken {
  clientId: string
  /**
   * Issuers that a valid id token may have, see `Profile`. If the list is empty, the issuer is not
   * checked.
   */
  issuers: readonly string[]
  now: number
}

/** Tolerance in the expiry of id tokens, because clocks of providers and servers differ. */
const clockToleranceMs = 5 * 60_000

/**
 * True if an id token is for this OAuth2 client, comes from the client's provider and has not
 * expired. The signature is not checked: the token endpoint returned the id token over TLS (OpenID
 * Connect Core 1.0 §3.1.3.7, 6).
 */
export function isValidFor({ clientId, issuers, now }: ExpectedToken, claims: Claims): boolean {
  const { aud, exp, iss, tid } = claims
  const isForClient = Array.isArray(aud) ? aud.includes(clientId) : aud === clientId
  const isCurrent = typeof exp === 'number' && exp * 1_000 + clockToleranceMs > now
  const tenant = typeof tid === 'string' ? tid : ''
  const isIssued =
    issuers.length === 0 ||
    issuers.some((issuer) =>
      isSameIssuer(
        issuer.replace('{tenantid}', () => tenant),
        iss,
      ),
    )
  return isForClient && isCurrent && isIssued
}

/**
 * Compares the issuer of an id token with the expected issuer. Ignores a slash at the end, which a
 * configured issuer may have and the provider may omit.
 */
function isSameIssuer(expected: string, iss: unknown): boolean {
  return typeof iss === 'string' && iss.replace(/\/$/, '') === expected.replace(/\/$/, '')
}

/**
 * Converts the claims of an id token or userinfo response to an identity (OpenID Connect Core 1.0
 * §5.1). An address without the claim `email_verified` counts as verified.
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
 * Candidates for a user's address among OpenID Connect claims, best first. Most providers state
 * `email`, else the login name in `preferred_username`. For tokens of Microsoft (with `tid`) the
 * login name is best, because it lies in a domain that the tenant owns. An administrator can write
 * any `email`, so `email` counts only with the optional claim `xms_edov`. Login names of guests
 * (with `#EXT#`) are skipped.
 */
function addressesIn(claims: Claims): unknown[] {
  const { email, preferred_username: name, upn, tid } = claims
  if (typeof tid !== 'string') return [email, name, upn]
  const isOwned = /^(?:true|1)$/i.test(String(claims['xms_edov']))
  return [...(isOwned ? [email] : []), ...[name, upn].filter((value) => !/#/.test(String(value)))]
}

/**
 * True if the claim `email_verified` states that the address is not verified. Some providers send
 * the boolean as a text or number.
 */
function isDenied(verified: unknown): boolean {
  return verified === false || verified === 0 || /^(?:false|0|no)$/i.test(String(verified))
}

function isShort(text: string): boolean {
  return text.length <= 256 && !/[\0\r\n]/.test(text)
}
