import { type CommandResponse, completeOAuth2Login, revokeOAuth2Grant } from '@posthorn/contracts'
import type { Tx } from '@posthorn/db'
import { findExpectedEmail, isUserConnected } from '../../store/accounts.ts'
import type { PendingLogin } from '../../store/oauth2-logins.ts'
import { upsertPassword } from '../../store/credentials.ts'
import { type ConnectDeps, connectMailbox } from '../form/connect-mailbox.ts'

export interface StoreGrantDeps extends ConnectDeps {
  timeoutMs: number
}

/** What a provider gave: who it is of, and the grant, sealed for the account. */
export type ReceivedGrant = CommandResponse<typeof completeOAuth2Login>

export type StoreGrantResult =
  | { refused?: never; state: 'new' | 'existing' }
  | { refused: 'missing' }
  | { refused: 'unverified' }
  | { refused: 'other'; expected: string }

/**
 * Registers the account with the grant, in one transaction; or gives the grant back, when it is not enough or another's.
 *
 * @throws LinkUsed, LinkGone, AppError `AccountAlreadyExists`
 */
export async function storeGrant(
  deps: StoreGrantDeps,
  login: PendingLogin,
  granted: ReceivedGrant,
): Promise<StoreGrantResult> {
  const { app, registration, form } = login
  const { account, body } = registration
  const expectedEmail = body.expectedEmail ?? (await findExpectedEmail(deps.db, account))
  const lacking = lackOf(granted)
  if (lacking !== undefined) {
    await revokeGrant(deps, login, granted)
    return { refused: lacking }
  }
  if (expectedEmail && expectedEmail.toLowerCase() !== granted.user.toLowerCase()) {
    await revokeGrant(deps, login, granted)
    return { refused: 'other', expected: expectedEmail }
  }
  const keep = (tx: Tx) =>
    upsertPassword(tx, { account, kind: 'oauth2', sealed: granted.sealedGrant })
  try {
    const whole = bodyOf({ app, registration }, granted)
    return { state: await connectMailbox(deps, { account, body: whole, formNonce: form }, keep) }
  } catch (error) {
    await revokeGrant(deps, login, granted)
    throw error
  }
}

/** An address that nobody has verified says nothing: not whose account it is, and not what address the account has. */
function lackOf({
  missingScopes,
  unverified,
}: ReceivedGrant): 'missing' | 'unverified' | undefined {
  if (unverified) return 'unverified'
  return missingScopes.length > 0 ? 'missing' : undefined
}

/** The account as it is registered: what was known of it, and who signed in. */
function bodyOf(
  { app, registration }: Pick<PendingLogin, 'app' | 'registration'>,
  granted: ReceivedGrant,
) {
  const { body, delegated } = registration
  const { user, name = user } = granted
  const shared = delegated && body.email ? { delegatedUser: body.email } : {}
  const { authorize: _authorize, redirectUrl: _redirectUrl, ...oauth2 } = body.oauth2 || {}
  return {
    ...body,
    name: body.name || name,
    email: body.email ?? user,
    oauth2: { ...oauth2, provider: app, auth: { ...oauth2.auth, ...shared, user } },
  }
}

/**
 * Gives a grant back that nobody will use. Providers take all grants of the person back with it: not where an account lives by one. That
 * it cannot be given back stops nobody: it is forgotten with this process.
 */
async function revokeGrant(
  { db, bus, timeoutMs }: StoreGrantDeps,
  { app, registration: { account } }: PendingLogin,
  { user, sealedGrant }: ReceivedGrant,
): Promise<void> {
  try {
    if (await isUserConnected(db, app, user)) return
    const how = { key: 'credentials', timeoutMs }
    await bus.request(revokeOAuth2Grant, { app, account, sealedGrant }, how)
  } catch {
    // The page says what came of the sign-in; this is beside it.
  }
}
