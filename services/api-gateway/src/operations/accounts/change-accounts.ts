import type { Bus } from '@posthorn/bus'
import { revokeAccountGrant } from '@posthorn/contracts/commands/oauth2'
import { defined } from '@posthorn/contracts/defined'
import { operations } from '@posthorn/contracts/operations'
import type { AccountRegistration } from '@posthorn/contracts/schemas/account'
import { publishEvents } from '@posthorn/db'
import { assertOneOrigin } from '../../accounts/assert-no-redirect.ts'
import { planAccount } from '../../accounts/plan-account.ts'
import { findAppFor } from '../../accounts/plan-oauth2.ts'
import { newAccountId, register } from '../../accounts/register.ts'
import { announceRemoval, removeAccount } from '../../accounts/remove-account.ts'
import { sealRegistration } from '../../accounts/seal-account.ts'
import { type ChangedBy, repeatedMembers } from '../../accounts/tenant-members.ts'
import { prepareConsent } from '../../accounts/update-by-consent.ts'
import { checkUpdate, lockForUpdate, storeUpdate, type Update } from '../../accounts/update.ts'
import { isTenant } from '../../access/authorize.ts'
import type { Caller } from '../../access/authenticate.ts'
import { handle } from '../../http/handle.ts'
import { startSignIn } from '../../accounts/start-sign-in.ts'
import { lockAccount } from '../../store/accounts/accounts.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { OperationDeps } from '../operation-deps.ts'

type ChangeDeps = Pick<OperationDeps, 'db' | 'bus' | 'sealer' | 'settings' | 'tasks' | 'timeoutMs'>

/**
 * Registers or changes an account. If concurrent requests name the same new id, only one of the
 * requests returns `new`.
 */
export function onCreateAccount(deps: ChangeDeps) {
  const { db, bus, sealer, settings, tasks } = deps
  return handle(operations.createAccount, async ({ body, caller }) => {
    const account = body.account ?? newAccountId()
    if (body.oauth2 && body.oauth2.authorize)
      return { redirect: await startConsent(deps, account, body) }
    const { serviceUrl = null } = await settings.get()
    const events = await inTransaction(db, (tx) =>
      register(tx, { account, body, by: changedBy(caller), sealer, serviceUrl }),
    )
    tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events ?? []))
    tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    return { account, state: events ? ('new' as const) : ('existing' as const) }
  })
}

/**
 * Stores a registration until the account's owner consents at the OAuth2 provider. Masks stand for
 * the values that the account has at this time. Returns the URL of the consent page.
 */
async function startConsent(
  deps: ChangeDeps,
  account: string,
  { account: _account, ...input }: AccountRegistration,
): Promise<string> {
  const { oauth2, expectedEmail, email } = input
  const { provider = '', redirectUrl = '', auth } = oauth2 || {}
  // Reports errors of the registration before the OAuth2 consent, because the client receives no
  // response after the consent.
  const { columns, repeated } = await inTransaction(deps.db, async (tx) => {
    const stored = await lockAccount(tx, account)
    const planned = planAccount(input, stored, await findAppFor(tx, oauth2, stored))
    assertOneOrigin('operator', planned.columns, stored)
    return { ...planned, repeated: repeatedMembers('operator', planned.columns, stored) }
  })
  const seal = { account, sealer: deps.sealer, repeated }
  const body = await sealRegistration(input, columns, seal)
  const loginHint = expectedEmail ?? auth?.user ?? email
  const registration = { account, body, redirectUrl }
  return startSignIn(deps, { app: provider, registration, ...defined({ loginHint }) })
}

/** Changes an account, or starts the OAuth2 consent if the change requires consent. */
export function onUpdateAccount(deps: ChangeDeps) {
  const { db, bus, sealer, tasks } = deps
  return handle(operations.updateAccount, async ({ params: { account }, body, caller }) => {
    const by = { by: changedBy(caller), isBound: typeof caller.token?.account === 'string' }
    const update: Update = { account, body, caller: by, sealer }
    if (body.oauth2 && body.oauth2.authorize) {
      const signIn = await inTransaction(db, (tx) => prepareConsent(tx, update))
      return { account, redirect: await startSignIn(deps, signIn) }
    }
    await inTransaction(db, async (tx) => {
      const stored = await lockForUpdate(tx, account)
      const checked = await checkUpdate(tx, update, { stored })
      await storeUpdate(tx, update, { ...checked, stored })
    })
    tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    return { account }
  })
}

function changedBy({ token }: Caller): ChangedBy {
  return isTenant(token) ? 'tenant' : 'operator'
}

type DeleteDeps = Pick<OperationDeps, 'db' | 'bus' | 'settings' | 'tokens' | 'tasks'>

/** Deletes an account and, on request, revokes its OAuth2 grant before. */
export function onDeleteAccount(deps: DeleteDeps) {
  const { db, bus, settings } = deps
  return handle(operations.deleteAccount, async ({ params: { account }, query, signal }) => {
    if (query.revoke) await revokeGrant(bus, account, signal)
    const { serviceUrl = null } = await settings.get()
    const events = await inTransaction(db, (tx) => removeAccount(tx, account, serviceUrl))
    announceRemoval(deps, account, events)
    return { account, deleted: true }
  })
}

/** Timeout of a request to the OAuth2 provider's revocation endpoint. */
const revokeTimeoutMs = 10_000

/**
 * Revokes the OAuth2 grant of an account before the account is deleted, because the deletion
 * deletes the grant. A failure does not prevent the deletion.
 */
async function revokeGrant(bus: Bus, account: string, signal: AbortSignal): Promise<void> {
  const options = { key: 'credentials', timeoutMs: revokeTimeoutMs, signal }
  await bus.request(revokeAccountGrant, { account }, options).catch(() => undefined)
}
