import { createHash, randomBytes } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { type FieldError, fieldError, validationError, startOAuth2Login } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { insertLogin, type PendingRegistration } from '../store/oauth2-logins.ts'

export interface SignInDeps {
  db: Db
  bus: Bus
  timeoutMs: number
}

export interface SignIn {
  /** The id of the OAuth2 application. */
  app: string
  registration: PendingRegistration
  /** The nonce of the form's link, when there is one. */
  form?: string
  /** Who is expected. */
  loginHint?: string
  /** Have the provider ask also a person who has consented before. */
  consent?: boolean
}

/**
 * Begins a sign-in: the address at the provider that the person is sent to. The provider sends the person back to `/oauth`, which
 * registers the account.
 *
 * @throws AppError `invalid` where the registration has a password: what waits for the person is stored as it is
 */
export async function startSignIn(
  { db, bus, timeoutMs }: SignInDeps,
  { app, registration, form, loginHint, consent }: SignIn,
): Promise<string> {
  assertNoPasswords(registration)
  // 256 bits each; RFC 7636 §4.1 asks for 43 characters at least.
  const state = randomBytes(32).toString('base64url')
  const codeVerifier = randomBytes(32).toString('base64url')
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const question = {
    app,
    state,
    codeChallenge,
    ...(loginHint === undefined ? {} : { loginHint }),
    ...(consent === undefined ? {} : { consent }),
  }
  const { url } = await bus.request(startOAuth2Login, question, { key: 'credentials', timeoutMs })
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
