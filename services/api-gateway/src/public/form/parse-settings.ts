import {
  type AccountRegistration,
  AccountRegistration as AccountRegistrationSchema,
  check,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { FormLink } from '../../store/form-links.ts'
import { formTexts } from './form-texts.ts'

const { wrong } = formTexts

/** What a person has filled in, as text. */
export interface FormValues {
  name: string
  email: string
  imapHost: string
  imapPort: string
  imapSecurity: string
  imapUser: string
  smtpHost: string
  smtpPort: string
  smtpUser: string
}
export type FormValueName = keyof FormValues

export interface Passwords {
  imap: string
  /** Empty where it is the same. */
  smtp: string
}

/** What is wrong, by the field it is shown at. */
export type FormErrors = { [K in FormValueName | 'imapPass' | 'smtpPass']?: string }

export type ImapRegistration = AccountRegistration & {
  imap: Exclude<AccountRegistration['imap'], undefined | false>
}

/** What is said of the account by whoever made the link. */
export function accountFieldsOf({ account, request }: Pick<FormLink, 'account' | 'request'>) {
  const { expectedEmail, notifyFrom, path, subconnections } = request
  return {
    account,
    ...(expectedEmail === undefined ? {} : { expectedEmail }),
    ...(notifyFrom === undefined ? {} : { notifyFrom }),
    ...(path === undefined ? {} : { path }),
    ...(subconnections === undefined ? {} : { subconnections }),
  }
}

/** What the settings mean, as `POST /v1/account` takes it; or what is wrong with them. */
export function parseSettings(
  link: Pick<FormLink, 'account' | 'request'>,
  filled: FormValues,
  passwords: Passwords,
): { body: ImapRegistration; wrong?: never } | { body?: never; wrong: FormErrors } {
  const { name, email, imapHost, imapPort, imapSecurity, imapUser } = filled
  const { smtpHost, smtpPort, smtpUser } = filled
  const imapAuth = { user: imapUser, pass: passwords.imap }
  const smtpAuth = { user: smtpUser || imapUser, pass: passwords.smtp || passwords.imap }
  const port = numberOf(smtpPort)
  const body = {
    ...accountFieldsOf(link),
    name,
    email,
    imap: {
      host: imapHost,
      port: numberOf(imapPort),
      secure: imapSecurity !== 'starttls',
      auth: imapAuth,
    },
    ...(smtpHost === ''
      ? {}
      : { smtp: { host: smtpHost, port, secure: port === 465, auth: smtpAuth } }),
  }
  const faults = { ...checkShape(body), ...checkPin(link, filled), ...checkPasswords(passwords) }
  return Object.keys(faults).length > 0 ? { wrong: faults } : { body: body as ImapRegistration }
}

/** Who is filled in on the first page, before servers are known. */
export function checkPerson(
  link: Pick<FormLink, 'account' | 'request'>,
  filled: Pick<FormValues, 'name' | 'email'>,
  pass: string,
): FormErrors {
  return {
    ...checkShape({ account: link.account, ...filled }),
    ...checkPin(link, { ...filled, imapUser: '', smtpUser: '' }),
    ...checkPasswords({ imap: pass, smtp: '' }),
  }
}

/** A text that is no number stays one, and is refused by the contract. */
function numberOf(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : 0
}

const places: Record<string, { field: keyof FormErrors; text: string }> = {
  name: { field: 'name', text: wrong.name },
  email: { field: 'email', text: wrong.email },
  'imap.host': { field: 'imapHost', text: wrong.host },
  'imap.port': { field: 'imapPort', text: wrong.port },
  'imap.auth.user': { field: 'imapUser', text: wrong.user },
  'imap.auth.pass': { field: 'imapPass', text: wrong.pass },
  'smtp.host': { field: 'smtpHost', text: wrong.host },
  'smtp.port': { field: 'smtpPort', text: wrong.port },
  'smtp.auth.user': { field: 'smtpUser', text: wrong.user },
  'smtp.auth.pass': { field: 'smtpPass', text: wrong.pass },
}

/** The same rules as those of the API. */
function checkShape(body: object): FormErrors {
  try {
    check(AccountRegistrationSchema, body)
    return {}
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error
    const faults = (error.extras.fields ?? []).map(({ path }) => {
      const { field, text } = places[path] ?? { field: 'imapHost', text: wrong.other }
      return [field, text] as const
    })
    return Object.fromEntries(faults)
  }
}

function checkPasswords({ imap }: Passwords): FormErrors {
  return imap === '' ? { imapPass: wrong.pass } : {}
}

/**
 * The pin. A server may call a mailbox as it likes, so that nothing here is proof; but whoever logs in by the name of another mailbox is
 * not let through.
 */
function checkPin(
  { request: { expectedEmail } }: Pick<FormLink, 'request'>,
  { email, imapUser, smtpUser }: Pick<FormValues, 'email' | 'imapUser' | 'smtpUser'>,
): FormErrors {
  if (expectedEmail === undefined) return {}
  const expected = expectedEmail.toLowerCase()
  const names = ['', expected, expected.slice(0, expected.lastIndexOf('@'))]
  const isOther = (user: string) => !names.includes(user.toLowerCase())
  const text = wrong.pinnedUser(expectedEmail)
  return {
    ...(email.toLowerCase() === expected ? {} : { email: wrong.pinned(expectedEmail) }),
    ...(isOther(imapUser) ? { imapUser: text } : {}),
    ...(isOther(smtpUser) ? { smtpUser: text } : {}),
  }
}
