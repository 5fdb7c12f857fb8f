import { completeOAuth2Login, revokeOAuth2Grant } from '@posthorn/contracts/commands/oauth2-login'
import type { CommandResponse } from '@posthorn/contracts/define'
import { defined } from '@posthorn/contracts/defined'
import type { Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { isUserConnected } from '../../store/accounts/account-users.ts'
import { findExpectedEmail } from '../../store/accounts/accounts.ts'
import { upsertPassword } from '../../store/accounts/credentials.ts'
import { clearConsentError } from '../../store/oauth2/consent-errors.ts'
import { storeConsent } from '../../accounts/update-by-consent.ts'
import type { PendingLogin } from '../../store/oauth2/oauth2-logins.ts'
import type { PendingUpdate, RegistrationBody } from '../../store/oauth2/pending-registration.ts'
import { inTransaction } from '../../store/transaction.ts'
import { type ConnectDeps, connectMailbox } from '../form/connect-mailbox.ts'

export interface StoreGrantDeps extends ConnectDeps {
  timeoutMs: number
}

/**
 * OAuth2 grant that the provider has issued, sealed (encrypted) for the account, and the user who
 * gave the grant.
 */
export type ReceivedGrant = CommandResponse<typeof completeOAuth2Login>

export type StoreGrantResult =
  | { refused?: never; state: 'new' | 'existing' }
  | { refused: 'missing' }
  | { refused: 'unverified' }
  | { refused: 'other'; expected: string }

/** Error for an account update that waited for OAuth2 consent while the account was deleted. */
export class AccountGoneError extends Error {
  override name = 'AccountGoneError'
}

/**
 * Registers or updates an account together with its OAuth2 grant, in one transaction. Revokes the
 * grant if it is insufficient, belongs to another user, or cannot be stored.
 *
 * @throws FormLinkUsedError, FormLinkExpiredError, AccountGoneError, AppError
 * `AccountAlreadyExists`
 */
export async function storeGrant(
  deps: StoreGrantDeps,
  login: PendingLogin,
  grant: ReceivedGrant,
): Promise<StoreGrantResult> {
  try {
    const { registration } = login
    const result = registration.update
      ? await update(deps, login, { grant, pending: registration.update })
      : await register(deps, login, { grant, body: registration.body })
    if (result.refused) await revokeGrant(deps, login, grant)
    return result
  } catch (error) {
    await revokeGrant(deps, login, grant)
    throw error
  }
}

async function register(
  deps: StoreGrantDeps,
  login: PendingLogin,
  { grant, body: input }: { grant: ReceivedGrant; body: RegistrationBody },
): Promise<StoreGrantResult> {
  const { registration, form: formNonce } = login
  const { account } = registration
  const expected = input.expectedEmail ?? (await findExpectedEmail(deps.db, account))
  const refusal = refusalOf(grant, expected)
  if (refusal) return refusal
  const storeCredential = async (tx: Tx) => {
    await upsertPassword(tx, { account, kind: 'oauth2', sealed: grant.sealedGrant })
    await clearConsentError(tx, account)
  }
  const body = bodyOf(login, { grant, body: input })
  return { state: await connectMailbox(deps, { account, body, formNonce }, storeCredential) }
}

async function update(
  { db, bus, sealer, tasks }: StoreGrantDeps,
  { registration: { account } }: PendingLogin,
  { grant, pending }: { grant: ReceivedGrant; pending: PendingUpdate },
): Promise<StoreGrantResult> {
  const refusal = refusalOf(grant, undefined)
  if (refusal) return refusal
  const consent = { account, sealer, user: grant.user, sealedGrant: grant.sealedGrant }
  try {
    const { expected } = await inTransaction(db, async (tx) => {
      const stored = await storeConsent(tx, pending, consent)
      if (stored.expected === undefined) await clearConsentError(tx, account)
      return stored
    })
    if (expected !== undefined) return { refused: 'other', expected }
  } catch (error) {
    const isGone = error instanceof AppError && error.kind === 'not-found'
    throw isGone ? new AccountGoneError('the account was deleted', { cause: error }) : error
  }
  tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
  return { state: 'existing' }
}

/**
 * Reason to refuse an OAuth2 grant. A grant with an unverified address is refused, because the
 * address proves neither the owner nor the mailbox.
 */
function refusalOf(
  { missingScopes, unverified, user }: ReceivedGrant,
  expected: string | null | undefined,
): StoreGrantResult | undefined {
  if (unverified) return { refused: 'unverified' }
  if (missingScopes.length > 0) return { refused: 'missing' }
  return expected && expected.toLowerCase() !== user.toLowerCase()
    ? { refused: 'other', expected }
    : undefined
}

/** Body of the account registration, completed with data of the user who signed in. */
function bodyOf(
  { app, registration: { delegated } }: PendingLogin,
  { grant: { user, name = user }, body }: { grant: ReceivedGrant; body: RegistrationBody },
) {
  const delegatedUser = (delegated && body.email) || undefined
  const { authorize: _authorize, redirectUrl: _redirectUrl, ...oauth2 } = body.oauth2 || {}
  const auth = { ...oauth2.auth, ...defined({ delegatedUser }), user }
  return {
    ...body,
    name: body.name || name,
    email: body.email ?? user,
    oauth2: { ...oauth2, provider: app, auth },
  }
}

/**
 * Revokes an unused OAuth2 grant, unless another account of the user depends on the grant:
 * providers revoke all grants of a user together. A failure is ignored, because the unused token is
 * stored nowhere.
 */
async function revokeGrant(
  { db, bus, timeoutMs }: StoreGrantDeps,
  { app, registration: { account } }: PendingLogin,
  { user, sealedGrant }: ReceivedGrant,
): Promise<void> {
  try {
    if (await isUserConnected(db, app, user)) return
    const options = { key: 'credentials', timeoutMs }
    await bus.request(revokeOAuth2Grant, { app, account, sealedGrant }, options)
  } catch {
    // Ignores a failed revocation of an OAuth2 grant, because the result page of the sign-in does
    // not depend on it.
  }
}
