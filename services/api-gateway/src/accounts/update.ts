import type { AccountUpdate } from '@posthorn/contracts/schemas/account'
import type { Tx } from '@posthorn/db'
import {
  accountNotFound,
  lockAccount,
  type LockedAccount,
  patchAccount,
  updateAccount,
} from '../store/accounts.ts'
import type { UpdateCaller } from '../store/oauth2-logins.ts'
import type { AppForAccount } from '../store/oauth2-apps.ts'
import {
  assertLoginsUnchanged,
  assertNoOtherProxy,
  assertOneOrigin,
  assertTargetUnchanged,
} from './assert-no-redirect.ts'
import { assertPasswordsFit, assertTokensFit } from './bound-logins.ts'
import { assertUserUnique, findAppFor } from './plan-oauth2.ts'
import { planUpdate, type UpdatePlan } from './plan-update.ts'
import { sealColumns, type SealDeps, storePasswords } from './seal-account.ts'
import { tenantMembers } from './tenant-members.ts'

/** Update of a stored account. */
export interface Update extends SealDeps {
  body: AccountUpdate
  caller: UpdateCaller
}

/** Locks the account of an update. @throws AppError `not-found` */
export async function lockForUpdate(tx: Tx, account: string): Promise<LockedAccount> {
  const stored = await lockAccount(tx, account)
  if (!stored) throw accountNotFound()
  return stored
}

/** Planned update with the application that it names. */
export interface CheckedUpdate extends UpdatePlan {
  app: AppForAccount | undefined
}

/**
 * Plans an update of a locked account and checks what the caller may change. `isSignIn`: the grant
 * comes from a consent, so that no stored grant is kept.
 *
 * @throws AppError `invalid` with `fields`, or `forbidden`
 */
export async function checkUpdate(
  tx: Tx,
  { account, body, caller }: Omit<Update, 'sealer'>,
  { stored, isSignIn = false }: { stored: LockedAccount; isSignIn?: boolean },
): Promise<CheckedUpdate> {
  const app = await findAppFor(tx, body.oauth2, stored)
  const plan = planUpdate(body, stored, app)
  const { columns, passwords } = plan
  const token = caller.isBound ? { account } : null
  assertOneOrigin(caller.by, columns, stored)
  assertTargetUnchanged(token, stored, columns)
  assertLoginsUnchanged(token, stored, { columns, passwords })
  assertNoOtherProxy(token, stored, columns)
  assertPasswordsFit(stored, { columns, passwords })
  if (!isSignIn) assertTokensFit(stored, { columns, passwords })
  await assertUserUnique(tx, account, columns.oauth2)
  return { ...plan, app }
}

/** Stores a checked update. Sessions restart only if something that they use has changed. */
export async function storeUpdate(
  tx: Tx,
  { account, caller, sealer }: Update,
  { stored, columns, passwords, restarts, app }: CheckedUpdate & { stored: LockedAccount },
): Promise<void> {
  const change = restarts ? updateAccount : patchAccount
  const origins = tenantMembers(caller.by, columns, stored)
  const sealed = await sealColumns(columns, { account, sealer })
  await change(tx, account, { ...sealed, ...origins })
  await storePasswords(tx, { account, sealer, before: stored, columns, app }, passwords)
}
