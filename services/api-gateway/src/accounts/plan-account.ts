import {
  type AccountRegistration,
  type AccountUpdate,
  type FieldError,
  fieldError,
  validationError,
  MailAddress,
  matches,
  parseDate,
} from '@posthorn/contracts'
import type { AccountColumns, LockedAccount } from '../store/accounts.ts'
import { unmaskHeaders, unmaskUrl } from '../http/masks.ts'
import type { AppForAccount } from '../store/oauth2-apps.ts'
import { withProviderServers } from './oauth2-servers.ts'
import { type OAuth2Input, planOAuth2 } from './plan-oauth2.ts'
import { type ServerInput, type PasswordPlan, planServer } from './plan-server.ts'

export interface RegistrationPlan {
  /** The columns that change; the others keep what they have, or their default. */
  columns: AccountColumns
  passwords: PasswordPlan[]
}

/** What is said of an account, in a registration or an update whose servers are whole. */
export type AccountInput = Omit<AccountUpdate, 'imap' | 'smtp' | 'oauth2'> &
  Pick<AccountRegistration, 'imapIndexer'> & {
    imap?: ServerInput | false
    smtp?: ServerInput | false
    oauth2?: OAuth2Input | false
  }

type Stored = Pick<
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
 * What becomes of an account, new or stored. What is not given stays; `false`, null or an empty text takes away; a masked secret stands
 * for the one that is stored.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planAccount(
  given: AccountInput,
  stored: Stored | undefined,
  app?: AppForAccount,
): RegistrationPlan {
  const errors: FieldError[] = []
  const body = { ...given, ...withProviderServers(given, stored, app) }
  const oauth2 = planOAuth2(body.oauth2, { stored, app, errors })
  const byOAuth2 = Boolean(oauth2.column === undefined ? stored?.oauth2 : oauth2.column)
  const imap = planServer('imap', body.imap, { stored, byOAuth2, errors })
  const smtp = planServer('smtp', body.smtp, { stored, byOAuth2, errors })
  const columns = {
    ...plainColumns(body),
    ...proxyColumn(body, stored, errors),
    ...webhookColumns(body, stored, errors),
    ...(imap.column === undefined ? {} : { imap: json(imap.column) }),
    ...(smtp.column === undefined ? {} : { smtp: json(smtp.column) }),
    ...(oauth2.column === undefined ? {} : { oauth2: json(oauth2.column) }),
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
  const columns = {
    name,
    expectedEmail,
    copy,
    logs,
    smtpEhloName,
    imapIndexer,
    locale,
    tz,
    path: path === undefined ? undefined : json(path),
    subconnections: subconnections === undefined ? undefined : json(subconnections),
    notifyFrom: notifyFrom === 'now' ? new Date() : from,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

function proxyColumn(
  { proxy }: AccountInput,
  stored: Stored | undefined,
  errors: FieldError[],
): AccountColumns {
  if (proxy === undefined) return {}
  const url = unmaskUrl(proxy, stored?.proxy)
  if (url === undefined) errors.push(fieldError('proxy', hidden))
  return { proxy: url || null }
}

function webhookColumns(
  { webhooks, webhooksCustomHeaders }: AccountInput,
  stored: Stored | undefined,
  errors: FieldError[],
): AccountColumns {
  const url = webhooks === undefined ? undefined : unmaskUrl(webhooks, stored?.webhooks)
  const headers =
    webhooksCustomHeaders && unmaskHeaders(webhooksCustomHeaders, stored?.webhooksCustomHeaders)
  if (webhooks !== undefined && url === undefined) errors.push(fieldError('webhooks', hidden))
  if (webhooksCustomHeaders && !headers) errors.push(fieldError('webhooksCustomHeaders', hidden))
  return {
    ...(url === undefined ? {} : { webhooks: url === '' ? null : url }),
    ...(headers === undefined ? {} : { webhooksCustomHeaders: json(headers) }),
  }
}

const hidden = 'contains a masked value that is not the stored one'

/** The address is what one logs in with, where that is one and nothing better is known. */
function emailColumn({ email, imap, oauth2 }: AccountInput, stored: Stored | undefined) {
  if (email !== undefined) return { email }
  const { user: owner, delegatedUser = owner } = (oauth2 && oauth2.auth) || {}
  const user = imap && imap.auth ? imap.auth.user : delegatedUser
  return !stored?.email && matches(MailAddress, user) ? { email: user } : {}
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
