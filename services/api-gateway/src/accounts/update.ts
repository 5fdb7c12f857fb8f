import { isDeepStrictEqual } from 'node:util'
import { defined } from '@posthorn/contracts/defined'
import type { AccountUpdate } from '@posthorn/contracts/schemas/account'
import type { ImapUpdate, SmtpUpdate } from '@posthorn/contracts/schemas/mail-server'
import type { Tx } from '@posthorn/db'
import {
  accountNotFound,
  lockAccount,
  type LockedAccount,
  patchAccount,
  updateAccount,
} from '../store/accounts/accounts.ts'
import type { AppForAccount } from '../store/oauth2/oauth2-apps.ts'
import type { UpdateCaller } from '../store/oauth2/pending-registration.ts'
import {
  assertLoginsUnchanged,
  assertNoOtherProxy,
  assertOneOrigin,
  assertTargetUnchanged,
} from './assert-no-redirect.ts'
import { assertPasswordsFit, assertTokensFit } from './bound-logins.ts'
import { keepSecret, maskedLogin } from './login-secret.ts'
import { type AccountPlan, planAccount } from './plan-account.ts'
import { assertUserUnique, findAppFor } from './plan-oauth2.ts'
import type { ServerInput, StoredServers } from './plan-server.ts'
import { sealColumns, type SealDeps, storePasswords } from './seal-account.ts'
import { tenantMembers } from './tenant-members.ts'

export interface UpdatePlan extends AccountPlan {
  /**
   * True if an account update changes something that the account's sessions use, so that the
   * sessions restart.
   */
  restarts: boolean
}

/**
 * Account columns that the account's sessions use. Sessions use neither webhook targets nor names.
 */
const sessionColumns = [
  'imap',
  'smtp',
  'oauth2',
  'path',
  'subconnections',
  'notifyFrom',
  'proxy',
  'smtpEhloName',
  'logs',
  'paused',
] as const

/**
 * Plans the update of a stored account.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planUpdate(
  { imap, smtp, ...rest }: AccountUpdate,
  stored: LockedAccount,
  app?: AppForAccount,
): UpdatePlan {
  const servers = defined({
    imap: mergeServer(imap, stored.imap),
    smtp: mergeServer(smtp, stored.smtp),
  })
  const plan = planAccount({ ...rest, ...servers }, stored, app)
  const { columns, passwords } = plan
  const restarts =
    passwords.some((password) => 'seal' in password) ||
    sessionColumns.some((name) => name in columns && !isSame(columns[name], stored[name]))
  return { ...plan, restarts }
}

/**
 * Compares a new value of an account column with the stored value of the column. JSON is compared
 * as text.
 */
function isSame(column: unknown, stored: unknown): boolean {
  if (typeof column === 'string' && typeof stored !== 'string' && stored !== null)
    return isDeepStrictEqual(JSON.parse(column), stored)
  return isDeepStrictEqual(column, stored)
}

type StoredServer = StoredServers['imap' | 'smtp']

/**
 * Completes a partial mail server of an update from the stored server. If the user is unchanged,
 * the stored secret stays, represented by a mask. Settings that are not partial replace the stored
 * server.
 */
function mergeServer(
  input: ImapUpdate | SmtpUpdate | false | undefined,
  stored: StoredServer,
): ServerInput | false | undefined {
  if (input === undefined || input === false) return input
  const { partial, ...update } = input
  if (!partial) return update
  const auth = mergeLogin(update, stored)
  const merged: ServerInput = defined({ ...stored, ...update, auth })
  // If the update contains a login for the mail server, the mail server no longer uses the
  // authentication server.
  if (auth && merged.useAuthServer && !update.useAuthServer) merged.useAuthServer = false
  return merged
}

function mergeLogin(
  { auth, useAuthServer }: ServerInput,
  stored: StoredServer,
): ServerInput['auth'] {
  const login = stored?.auth
  if (auth) return keepSecret(auth, login)
  if (auth === false || useAuthServer) return auth
  return login ? maskedLogin(login) : login
}

/** Update of a stored account, as requested by a caller of the API. */
export interface Update extends SealDeps {
  body: AccountUpdate
  caller: UpdateCaller
}

/**
 * Locks the account that an update changes.
 *
 * @throws AppError `not-found`
 */
export async function lockForUpdate(tx: Tx, account: string): Promise<LockedAccount> {
  const stored = await lockAccount(tx, account)
  if (!stored) throw accountNotFound()
  return stored
}

/** Planned update of an account with the OAuth2 application that the update names. */
export interface CheckedUpdate extends UpdatePlan {
  app: AppForAccount | undefined
}

/**
 * Plans an update of a locked account and checks what the caller may change. `isSignIn`: the grant
 * comes from an OAuth2 consent, so that no stored grant is kept.
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

/**
 * Stores a checked update of an account. Sessions of the account restart only if something that
 * they use has changed.
 */
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
