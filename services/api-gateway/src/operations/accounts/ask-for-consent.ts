import type { AccountRegistration } from '@posthorn/contracts'
import type { Sealer } from '@posthorn/secrets'
import { startSignIn, type SignInDeps } from '../../sign-in/start-sign-in.ts'
import { inTransaction } from '../../store/transaction.ts'
import { findAppFor } from '../../accounts/plan-oauth2-account.ts'
import { planAccount } from '../../accounts/plan-account.ts'
import { sealRegistration } from '../../accounts/seal-in-place.ts'

/** Parks a registration until its owner has consented, and answers with where that is done. Nothing is registered before. */
export async function startConsent(
  deps: SignInDeps & { sealer: Sealer },
  account: string,
  registration: AccountRegistration,
): Promise<string> {
  const { account: _account, ...given } = registration
  const body = await sealRegistration(given, { account, sealer: deps.sealer })
  const { oauth2, expectedEmail, email } = body
  const { provider = '', redirectUrl = '', auth } = oauth2 || {}
  // What is wrong with it is said now: there is nobody to say it to when the owner comes back.
  await inTransaction(deps.db, async (tx) => {
    planAccount(given, undefined, await findAppFor(tx, oauth2, undefined))
  })
  const loginHint = expectedEmail ?? auth?.user ?? email
  return startSignIn(deps, {
    app: provider,
    registration: { account, body, redirectUrl },
    ...(loginHint === undefined ? {} : { loginHint }),
  })
}
