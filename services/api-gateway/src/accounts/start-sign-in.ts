import { createHash, randomBytes } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import {
  defined,
  type FieldError,
  fieldError,
  startOAuth2Login,
  validationError,
} from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { insertLogin, type PendingRegistration } from '../store/oauth2-logins.ts'

export interface SignInDeps {
  db: Db
  bus: Bus
  timeoutMs: number
}

export interface SignIn {
  /** Id of the OAuth2 application. */
  app: string
  registration: PendingRegistration
  /** Nonce of the form's link, if the sign-in starts there. */
  form?: string
  /** Expected user, passed to the provider. */
  loginHint?: string
  /** If true, the provider asks for consent again. */
  consent?: boolean
}

/**
 * Starts a sign-in and returns the URL of the provider's consent page. The provider redirects the
 * user to `/oauth`, which registers the account.
 *
 * @throws AppError `invalid` if the registration contains a password: pending registrations are
 * stored unsealed
 */
export async function startSignIn(
  { db, bus, timeoutMs }: SignInDeps,
  { app, registration, form, loginHint, consent }: SignIn,
): Promise<string> {
  assertNoPasswords(registration)
  // 256 bits each; RFC 7636 §4.1 requires at least 43 characters.
  const state = randomBytes(32).toString('base64url')
  const codeVerifier = randomBytes(32).toString('base64url')
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const request = { app, state, codeChallenge, ...defined({ loginHint, consent }) }
  const { url } = await bus.request(startOAuth2Login, request, { key: 'credentials', timeoutMs })
  await insertLogin(db, state, { app, codeVerifier, registration, form: form ?? null })
  return url
}

function assertNoPasswords({ body }: PendingRegistration): void {
  const errors: FieldError[] = []
  for (const kind of ['imap', 'smtp'] as const) {
    const server = body[kind]
    if (server && server.auth && server.auth.pass !== undefined)
      errors.push(fieldError(`${kind}.auth.pass`, 'is not possible with oauth2.authorize'))
  }
  for (const token of ['accessToken', 'refreshToken'] as const)
    if (body.oauth2 && body.oauth2[token] !== undefined)
      errors.push(fieldError(`oauth2.${token}`, 'is not possible with oauth2.authorize'))
  if (errors.length > 0) throw validationError(errors)
}
