import { createHash, randomBytes } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { startOAuth2Login } from '@posthorn/contracts/commands/oauth2-login'
import { defined } from '@posthorn/contracts/defined'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import { validationError } from '@posthorn/contracts/validate'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { findConsentUrl, insertBrowserState, insertLogin } from '../store/oauth2/oauth2-logins.ts'
import { type PendingRegistration, requestedBody } from '../store/oauth2/pending-registration.ts'
import { secretNameOf, secretOf } from './login-secret.ts'

export interface SignInDeps {
  db: Db
  bus: Bus
  timeoutMs: number
}

export interface SignIn {
  /** Id of the OAuth2 application through which the user signs in. */
  app: string
  registration: PendingRegistration
  /** Nonce of the link to the hosted form, if the OAuth2 sign-in starts at a form. */
  form?: string
  /** User who is expected to sign in, passed to the OAuth2 provider. */
  loginHint?: string
  /** If true, the OAuth2 provider asks the user for consent again. */
  consent?: boolean
}

/**
 * Starts an OAuth2 sign-in. Returns the URL that the user's browser opens: the redirect URI with a
 * start token. This URL binds the browser and redirects to the provider's consent page, see
 * `openSignIn`.
 *
 * @throws AppError `invalid` if the registration contains a password: pending registrations are
 * stored unsealed
 */
export async function startSignIn(
  { db, bus, timeoutMs }: SignInDeps,
  { app, registration, form, loginHint, consent }: SignIn,
): Promise<string> {
  assertNoPasswords(registration)
  // Placeholders in the consent URL: each browser gets its own state and PKCE challenge.
  const placeholders = { state: newToken(), codeChallenge: challengeOf(newToken()) }
  const request = { app, ...placeholders, ...defined({ loginHint, consent }) }
  const page = await bus.request(startOAuth2Login, request, { key: 'credentials', timeoutMs })
  const { url, issuer, requiresIss } = page
  const start = newToken()
  const startUrl = redirectUriOf(url)
  startUrl.searchParams.set('start', start)
  const stored = { url, ...defined({ issuer, requiresIss }) }
  await insertLogin(db, start, { app, registration, form: form ?? null, consent: stored })
  return startUrl.href
}

/**
 * Opens an OAuth2 sign-in in a browser and returns the URL of the consent page. Undefined if the
 * sign-in is over. The state is bound to the identity that `identify` returns for the redirect URI.
 * `locale`: language of the result page.
 */
export async function openSignIn(
  db: Db,
  { start, locale }: { start: string; locale?: string },
  identify: (redirectUri: URL) => string,
): Promise<string | undefined> {
  const consentUrl = await findConsentUrl(db, start)
  if (consentUrl === undefined) return undefined
  const browser = identify(redirectUriOf(consentUrl))
  const state = newToken()
  const codeVerifier = newToken()
  const opened = { state, codeVerifier, browser, ...defined({ locale }) }
  if (!(await insertBrowserState(db, start, opened))) return undefined
  const url = new URL(consentUrl)
  url.searchParams.set('state', state)
  url.searchParams.set('code_challenge', challengeOf(codeVerifier))
  return url.href
}

/**
 * Redirect URI in a consent URL. The browser cookie must be set by the host to which the OAuth2
 * provider redirects.
 */
function redirectUriOf(consentUrl: string): URL {
  const uri = URL.parse(new URL(consentUrl).searchParams.get('redirect_uri') ?? '')
  if (!uri) throw new AppError('invalid', 'The OAuth2 application has no redirect URL')
  return uri
}

/**
 * Creates a random token of 256 bits. Its 43 characters are the minimum length of a PKCE code
 * verifier (RFC 7636 §4.1).
 */
function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url')
}

function assertNoPasswords(registration: PendingRegistration): void {
  const body = requestedBody(registration)
  const errors: FieldError[] = []
  for (const kind of ['imap', 'smtp'] as const) {
    const server = body[kind]
    if (server && server.auth && secretOf(server.auth) !== undefined) {
      const path = `${kind}.auth.${secretNameOf(server.auth)}`
      errors.push(fieldError(path, 'is not possible with oauth2.authorize'))
    }
  }
  for (const token of ['accessToken', 'refreshToken'] as const)
    if (body.oauth2 && body.oauth2[token] !== undefined)
      errors.push(fieldError(`oauth2.${token}`, 'is not possible with oauth2.authorize'))
  if (errors.length > 0) throw validationError(errors)
}
