import {
  type AccountRegistration,
  type AccountUpdate,
  defined,
  type FieldError,
  fieldError,
  validationError,
  MailAddress,
  matches,
  parseDate,
} from '@posthorn/contracts'
import { unknownMask, unmaskHeaders, unmaskUrl } from '../http/masks.ts'
import type { AccountColumns, LockedAccount } from '../store/accounts.ts'
import type { AppForAccount } from '../store/oauth2-apps.ts'
import { type OAuth2Input, planOAuth2 } from './plan-oauth2.ts'
import { type PasswordPlan, planServer, type ServerInput } from './plan-server.ts'
import { withProviderServers } from './provider-servers.ts'

/** Changes of an account. */
export interface AccountPlan {
  /** Changed columns; absent ones keep their value or default. */
  columns: AccountColumns
  passwords: PasswordPlan[]
}

/** Account of a registration, or of an update with complete servers. */
export type AccountInput = Omit<AccountUpdate, 'imap' | 'smtp' | 'oauth2'> &
  Pick<AccountRegistration, 'imapIndexer'> & {
    imap?: ServerInput | false
    smtp?: ServerInput | false
    oauth2?: OAuth2Input | false
  }

type StoredAccount = Pick<
  LockedAccount,
  | 'email'
  | 'webhooks'
  | 'webhooksCustomHeaders'
  | 'proxy'
  | 'imap'
  | 'smtp'
  | 'oauth2'
  | 'passwords'
>

/**
 * Plans the changes of an account, new or stored. Absent fields stay; `false`, null or an empty
 * text remove a value; a masked secret keeps the stored one.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planAccount(
  input: AccountInput,
  stored: StoredAccount | undefined,
  app?: AppForAccount,
): AccountPlan {
  const errors: FieldError[] = []
  const body = { ...input, ...withProviderServers(input, stored, app) }
  const oauth2 = planOAuth2(body.oauth2, { stored, app, errors })
  const byOAuth2 = Boolean(oauth2.column === undefined ? stored?.oauth2 : oauth2.column)
  const imap = planServer('imap', body.imap, { stored, byOAuth2, errors })
  const smtp = planServer('smtp', body.smtp, { stored, byOAuth2, errors })
  const columns = {
    ...plainColumns(body),
    ...proxyColumn(body, stored, errors),
    ...webhookColumns(body, stored, errors),
    ...defined({
      imap: json(imap.column),
      smtp: json(smtp.column),
      oauth2: json(oauth2.column),
    }),
    ...emailColumn(body, stored),
  }
  if (errors.length > 0) throw validationError(errors)
  return { columns, passwords: [...imap.passwords, ...smtp.passwords, ...oauth2.passwords] }
}

function plainColumns(body: AccountInput): AccountColumns {
  const { name, expectedEmail, copy, logs, smtpEhloName, imapIndexer, locale, tz } = body
  const { path, subconnections, notifyFrom } = body
  const from =
    typeof notifyFrom === 'string' && notifyFrom !== 'now' ? parseDate(notifyFrom) : undefined
  return defined({
    name,
    expectedEmail,
    copy,
    logs,
    smtpEhloName,
    imapIndexer,
    locale,
    tz,
    path: json(path),
    subconnections: json(subconnections),
    notifyFrom: notifyFrom === 'now' ? new Date() : from,
  })
}

function proxyColumn(
  { proxy }: AccountInput,
  stored: StoredAccount | undefined,
  errors: FieldError[],
): AccountColumns {
  if (proxy === undefined) return {}
  const url = unmaskUrl(proxy, stored?.proxy)
  if (url === undefined) errors.push(fieldError('proxy', unknownMask))
  return { proxy: url || null }
}

function webhookColumns(
  { webhooks, webhooksCustomHeaders }: AccountInput,
  stored: StoredAccount | undefined,
  errors: FieldError[],
): AccountColumns {
  const url = webhooks === undefined ? undefined : unmaskUrl(webhooks, stored?.webhooks)
  const headers =
    webhooksCustomHeaders && unmaskHeaders(webhooksCustomHeaders, stored?.webhooksCustomHeaders)
  if (webhooks !== undefined && url === undefined) errors.push(fieldError('webhooks', unknownMask))
  if (webhooksCustomHeaders && !headers)
    errors.push(fieldError('webhooksCustomHeaders', unknownMask))
  return defined({
    webhooks: url === '' ? null : url,
    webhooksCustomHeaders: json(headers),
  })
}

/** Defaults to the login name, if it is an address and no other is stored. */
function emailColumn({ email, imap, oauth2 }: AccountInput, stored: StoredAccount | undefined) {
  if (email !== undefined) return { email }
  const { user: owner, delegatedUser = owner } = (oauth2 && oauth2.auth) || {}
  const user = imap && imap.auth ? imap.auth.user : delegatedUser
  return !stored?.email && matches(MailAddress, user) ? { email: user } : {}
}

function json(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value
  return JSON.stringify(value)
}
