import { defined } from '@posthorn/contracts/defined'
import type { AccountRegistration } from '@posthorn/contracts/schemas/account'
import type { Tx } from '@posthorn/db'
import { type Sealer, sealHeaders, sealLogin } from '@posthorn/secrets'
import { sealHeaderColumn } from '../http/masks.ts'
import type { AccountColumns } from '../store/accounts/accounts.ts'
import {
  deletePassword,
  passwordSealContext,
  upsertPassword,
} from '../store/accounts/credentials.ts'
import type { AppForAccount } from '../store/oauth2/oauth2-apps.ts'
import { bindingOf } from './bound-logins.ts'
import type { PasswordPlan } from './plan-server.ts'
import { afterChange, type LoginAccount, type LoginColumns } from './stored-login.ts'

export interface SealDeps {
  account: string
  sealer: Sealer
}

/**
 * Seals (encrypts) logins in the URLs of an account and the values of its webhook headers. Sealed
 * values stay unchanged.
 */
export async function sealColumns(
  columns: AccountColumns,
  { account, sealer }: SealDeps,
): Promise<AccountColumns> {
  const { webhooksCustomHeaders: json } = columns
  const headers = json ? await sealHeaderColumn(json, `account/${account}`, sealer) : undefined
  return {
    ...(await sealUrls(columns, sealer)),
    ...defined({ webhooksCustomHeaders: headers }),
  }
}

type SealedMembers = Pick<AccountRegistration, 'webhooks' | 'proxy' | 'webhooksCustomHeaders'>

/**
 * Seals logins in URLs and values of webhook headers, like `sealColumns`, in a registration or an
 * update that waits for OAuth2 consent. Values come from the planned columns, which have no masks:
 * a mask could have another meaning at the consent. `repeated`: members that are not stored,
 * because the account has their value.
 */
export async function sealRegistration<T extends SealedMembers>(
  input: T,
  columns: AccountColumns,
  { account, sealer, repeated }: SealDeps & { repeated: readonly (keyof SealedMembers)[] },
): Promise<T> {
  const registration = without(input, repeated)
  const { webhooks, proxy, webhooksCustomHeaders: json } = without(columns, repeated)
  const headers = json
    ? await sealHeaders(JSON.parse(json) as Header[], `account/${account}`, sealer)
    : undefined
  const unmasked = { ...registration, ...(webhooks && { webhooks }), ...(proxy && { proxy }) }
  return {
    ...(await sealUrls(unmasked, sealer)),
    ...defined({ webhooksCustomHeaders: headers }),
  }
}

function without<T extends object>(object: T, members: readonly PropertyKey[]): T {
  const entries = Object.entries(object).filter(([name]) => !members.includes(name))
  return Object.fromEntries(entries) as T
}

type Header = { key: string; value: string }

interface AccountUrls {
  webhooks?: string | null
  proxy?: string | null
}

async function sealUrls<T extends AccountUrls>(input: T, sealer: Sealer): Promise<T> {
  const { webhooks, proxy } = input
  const sealed = {
    webhooks: webhooks ? await sealLogin(webhooks, sealer) : undefined,
    proxy: proxy ? await sealLogin(proxy, sealer) : undefined,
  }
  return { ...input, ...defined(sealed) }
}

interface CredentialChange extends SealDeps {
  /** Account as stored before the change; undefined for a new account. */
  before: LoginAccount | undefined
  columns: LoginColumns
  /** OAuth2 application that the account request names. */
  app: AppForAccount | undefined
}

/**
 * Seals (encrypts) and stores new credentials of an account for its servers. Deletes credentials
 * that the account no longer needs.
 */
export async function storePasswords(
  tx: Tx,
  { account, sealer, before = withoutLogins, columns, app }: CredentialChange,
  passwords: readonly PasswordPlan[],
): Promise<void> {
  const after = afterChange(before, columns)
  for (const password of passwords) {
    const { kind } = password
    if ('forget' in password) await deletePassword(tx, account, kind)
    else {
      const context = passwordSealContext(account, kind)
      const sealed = await sealer.seal(password.seal, context, bindingOf(after, kind, app))
      await upsertPassword(tx, { account, kind, sealed })
    }
  }
}

const withoutLogins: LoginAccount = {
  imap: null,
  smtp: null,
  oauth2: null,
  email: null,
  proxy: null,
}
