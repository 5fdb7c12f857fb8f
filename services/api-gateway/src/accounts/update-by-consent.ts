import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { parseDate } from '@posthorn/contracts/formats'
import type { AccountUpdate } from '@posthorn/contracts/schemas/account'
import { validationError } from '@posthorn/contracts/validate'
import type { Tx } from '@posthorn/db'
import { accountNotFound, type LockedAccount } from '../store/accounts/accounts.ts'
import { upsertPassword } from '../store/accounts/credentials.ts'
import type { PendingRegistration, PendingUpdate } from '../store/oauth2/pending-registration.ts'
import { sealRegistration, type SealDeps } from './seal-account.ts'
import { repeatedMembers } from './tenant-members.ts'
import { checkUpdate, lockForUpdate, storeUpdate, type Update } from './update.ts'

/*
 * An update with `oauth2.authorize` changes nothing until the owner of the mailbox consents. Then
 * all its fields and the grant are stored in one transaction, or nothing is.
 */

/** OAuth2 sign-in that an update of an account waits for. */
export interface UpdateSignIn {
  /** Id of the OAuth2 application through which the user signs in. */
  app: string
  registration: PendingRegistration
  loginHint?: string
}

type OAuth2Members = Exclude<AccountUpdate['oauth2'], false | undefined>

/**
 * Checks an account update that waits for OAuth2 consent, and prepares the update for storage:
 * without masks, and with sealed (encrypted) secrets.
 * @throws AppError `not-found`; `invalid` with `fields`; `forbidden`
 */
export async function prepareConsent(tx: Tx, update: Update): Promise<UpdateSignIn> {
  const { account, body, caller, sealer } = update
  const stored = await lockForUpdate(tx, account)
  const oauth2 = body.oauth2 || {}
  const user = expectedUserOf(body, stored)
  const expected = { ...oauth2, auth: { ...oauth2.auth, ...defined({ user }) } }
  const checked = { ...update, body: { ...body, oauth2: expected } }
  const { columns, app } = await checkUpdate(tx, checked, { stored, isSignIn: true })
  if (!app) throw validationError([fieldError('oauth2.provider', 'is required')])
  const repeated = repeatedMembers(caller.by, columns, stored)
  const pending: PendingUpdate = {
    body: await sealRegistration(body, columns, { account, sealer, repeated }),
    caller,
    registeredAt: stored.createdAt.getTime(),
    requestedAt: Date.now(),
  }
  const [loginHint = body.email ?? stored.email ?? undefined] = pinsOf(body, stored)
  const { redirectUrl = '' } = oauth2
  const registration = { account, redirectUrl, update: pending }
  return { app: app.id, registration, ...defined({ loginHint }) }
}

/**
 * OAuth2 consent of an account's owner: the user who signed in, and the sealed (encrypted) grant.
 */
export interface Consent extends SealDeps {
  user: string
  sealedGrant: string
}

/**
 * Stores an account update that waited for OAuth2 consent, with its grant. If another user
 * consented, stores nothing and returns the expected address.
 *
 * @throws AppError `not-found` if the account was deleted, even if its id was registered again
 */
export async function storeConsent(
  tx: Tx,
  { body, caller, registeredAt, requestedAt }: PendingUpdate,
  { account, sealer, user, sealedGrant }: Consent,
): Promise<{ expected?: string }> {
  const stored = await lockForUpdate(tx, account)
  if (stored.createdAt.getTime() !== registeredAt) throw accountNotFound()
  const isOther = (pin: string) => pin.toLowerCase() !== user.toLowerCase()
  const expected = pinsOf(body, stored).find(isOther)
  if (expected !== undefined) return { expected }
  const final = { user: expectedUserOf(body, stored) ?? user, requestedAt }
  const update = { account, sealer, caller, body: withConsent(body, final) }
  const checked = await checkUpdate(tx, update, { stored, isSignIn: true })
  await storeUpdate(tx, update, { ...checked, stored, restarts: true })
  await upsertPassword(tx, { account, kind: 'oauth2', sealed: sealedGrant })
  return {}
}

/** Addresses that the consenting user must have: expected address and login name of the account. */
function pinsOf(body: AccountUpdate, stored: LockedAccount): string[] {
  const { expectedEmail = stored.expectedEmail } = body
  return [expectedEmail, expectedUserOf(body, stored)].filter((pin) => typeof pin === 'string')
}

/** Login name that an account update names, or that the account has with OAuth2. */
function expectedUserOf(
  { oauth2 }: AccountUpdate,
  { oauth2: before, email }: Pick<LockedAccount, 'oauth2' | 'email'>,
): string | undefined {
  const storedUser = before && (before.auth?.user ?? email)
  return (oauth2 && oauth2.auth?.user) || storedUser || undefined
}

/**
 * Body of an account update, completed after the OAuth2 consent. In `notifyFrom`, `now` stands for
 * the time of the update request, not of the consent.
 */
function withConsent(
  body: AccountUpdate,
  { user, requestedAt }: { user: string; requestedAt: number },
): AccountUpdate {
  const { authorize: _authorize, redirectUrl: _url, ...oauth2 }: OAuth2Members = body.oauth2 || {}
  const { notifyFrom } = body
  const from = notifyFrom === 'now' ? new Date(requestedAt) : parseDate(notifyFrom ?? '')
  return {
    ...body,
    ...(from && { notifyFrom: from.toISOString() }),
    oauth2: { useAuthServer: false, ...oauth2, auth: { ...oauth2.auth, user } },
  }
}
