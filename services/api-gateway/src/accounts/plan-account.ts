import { defined } from '@posthorn/contracts/defined'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import { parseDate } from '@posthorn/contracts/formats'
import type { AccountRegistration, AccountUpdate } from '@posthorn/contracts/schemas/account'
import { MailAddress } from '@posthorn/contracts/schemas/primitives'
import { validationError, matches } from '@posthorn/contracts/validate'
import { unknownMask, unmaskHeaders, unmaskUrl } from '../http/masks.ts'
import type { AccountColumns, LockedAccount } from '../store/accounts/accounts.ts'
import type { AppForAccount } from '../store/oauth2/oauth2-apps.ts'
import { backendOf, type OAuth2Input, planOAuth2 } from './plan-oauth2.ts'
import { type PasswordPlan, planServer, type ServerInput } from './plan-server.ts'
import { withProviderServers } from './provider-servers.ts'

/** Planned changes of an account: its columns, passwords and OAuth2 grant. */
export interface AccountPlan {
  /** Changed columns of an account; absent columns keep their value or default. */
  columns: AccountColumns
  passwords: PasswordPlan[]
}

/**
 * Account settings of a registration, or of an update whose partial mail server settings were
 * completed from the stored settings.
 */
export type AccountInput = Omit<AccountUpdate, 'imap' | 'smtp' | 'oauth2'> &
  Pick<AccountRegistration, 'imapIndexer'> & {
    imap?: ServerInput | false
    smtp?: ServerInput | false
    oauth2?: OAuth2Input | false
  }

/**
 * Plans the changes of an account, new or stored. Absent fields keep their stored values; `false`,
 * null or an empty text remove a value; a masked secret keeps the stored secret.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planAccount(
  input: AccountInput,
  stored: LockedAccount | undefined,
  app?: AppForAccount,
): AccountPlan {
  const errors: FieldError[] = []
  const body = { ...input, ...withProviderServers(input, stored, app) }
  const oauth2 = planOAuth2(body.oauth2, { stored, app, errors })
  const byOAuth2 = Boolean(oauth2.column === undefined ? stored?.oauth2 : oauth2.column)
  const imap = planServer('imap', body.imap, { stored, byOAuth2, errors })
  const smtp = planServer('smtp', body.smtp, { stored, byOAuth2, errors })
  const columns = {
    ...backendColumn(stored, app),
    ...plainColumns(body),
    ...urlColumn('proxy', body, { stored, errors }),
    ...urlColumn('webhooks', body, { stored, errors }),
    ...headersColumn(body, { stored, errors }),
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

/**
 * Backend (mail system) of an account, which is fixed at registration. Accounts without an OAuth2
 * application have the default of the column.
 */
function backendColumn(stored: LockedAccount | undefined, app: AppForAccount | undefined) {
  return stored || !app ? {} : defined({ backend: backendOf(app) })
}

function plainColumns(body: AccountInput): AccountColumns {
  const { name, expectedEmail, copy, logs, paused, smtpEhloName, imapIndexer, locale, tz } = body
  const { path, subconnections, notifyFrom } = body
  return defined({
    name,
    expectedEmail,
    copy,
    logs,
    paused,
    smtpEhloName,
    imapIndexer,
    locale,
    tz,
    path: json(path),
    subconnections: json(subconnections),
    notifyFrom: notifyFrom === 'now' ? new Date() : parseDate(notifyFrom ?? ''),
  })
}

interface AccountContext {
  stored: LockedAccount | undefined
  errors: FieldError[]
}

/**
 * Plans the change of an account column that contains a URL, whose password may be masked. An empty
 * text removes the URL.
 */
function urlColumn(
  name: 'proxy' | 'webhooks',
  input: AccountInput,
  { stored, errors }: AccountContext,
): AccountColumns {
  const text = input[name]
  if (text === undefined) return {}
  const url = unmaskUrl(text, stored?.[name])
  if (url === undefined) errors.push(fieldError(name, unknownMask))
  return { [name]: url || null }
}

function headersColumn(
  { webhooksCustomHeaders: input }: AccountInput,
  { stored, errors }: AccountContext,
): AccountColumns {
  if (!input) return {}
  const headers = unmaskHeaders(input, stored?.webhooksCustomHeaders)
  if (!headers) errors.push(fieldError('webhooksCustomHeaders', unknownMask))
  return { webhooksCustomHeaders: JSON.stringify(headers) }
}

/**
 * Mail address of the account. Defaults to the login name, if the login name is an address and no
 * other address is stored.
 */
function emailColumn({ email, imap, oauth2 }: AccountInput, stored: LockedAccount | undefined) {
  if (email !== undefined) return { email }
  const { user: owner, delegatedUser = owner } = (oauth2 && oauth2.auth) || {}
  const user = imap && imap.auth ? imap.auth.user : delegatedUser
  return !stored?.email && matches(MailAddress, user) ? { email: user } : {}
}

function json(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value
  return JSON.stringify(value)
}
