import { defined } from '@posthorn/contracts/defined'
import {
  type AccountRegistration,
  AccountRegistration as AccountRegistrationSchema,
} from '@posthorn/contracts/schemas/account'
import { check } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import type { FormLink } from '../../store/accounts/form-links.ts'
import type { PageTexts } from '../texts/english.ts'

const personFields = ['name', 'email'] as const
const imapFields = ['imapHost', 'imapPort', 'imapSecurity', 'imapUser'] as const
const smtpFields = ['smtpHost', 'smtpPort', 'smtpUser'] as const

/**
 * Fields of the hosted form whose posted values are shown again in the next page. Passwords are not
 * among them.
 */
export const formValueNames = [...personFields, ...imapFields, ...smtpFields]
export type FormValueName = (typeof formValueNames)[number]

/** Values of the hosted form's fields, as text. */
export type FormValues = Record<FormValueName, string>

export interface Passwords {
  imap: string
  /**
   * SMTP password that the user entered in the hosted form; empty if it equals the IMAP password.
   */
  smtp: string
}

/** Error texts of the hosted form, by the name of the form field. */
export type FormErrors = { [K in FormValueName | 'imapPass' | 'smtpPass']?: string }

export type ImapRegistration = AccountRegistration & {
  imap: Exclude<AccountRegistration['imap'], undefined | false>
}

type LinkContent = Pick<FormLink, 'account' | 'request'>
type ErrorTexts = PageTexts['form']['errors']

/** Link to the hosted form, and error texts in the language of the page. */
interface CheckContext {
  link: LinkContent
  texts: ErrorTexts
}

/** Account fields that the creator of the link to the hosted form has set. */
export function accountFieldsOf({ account, request }: LinkContent) {
  const { expectedEmail, notifyFrom, path, subconnections } = request
  return { account, ...defined({ expectedEmail, notifyFrom, path, subconnections }) }
}

/**
 * Converts the settings of the hosted form to a body of `POST /v1/account`, or returns the errors
 * in the settings.
 */
export function parseSettings(
  { link, texts }: CheckContext,
  values: FormValues,
  passwords: Passwords,
): { body: ImapRegistration; errors?: never } | { body?: never; errors: FormErrors } {
  const { name, email, imapHost, imapPort, imapSecurity, imapUser } = values
  const { smtpHost, smtpPort, smtpUser } = values
  const imapAuth = { user: imapUser, pass: passwords.imap }
  const smtpAuth = { user: smtpUser || imapUser, pass: passwords.smtp || passwords.imap }
  const port = parsePort(smtpPort)
  const smtp = { host: smtpHost, port, secure: port === 465, auth: smtpAuth }
  const body = {
    ...accountFieldsOf(link),
    name,
    email,
    imap: {
      host: imapHost,
      port: parsePort(imapPort),
      secure: imapSecurity !== 'starttls',
      auth: imapAuth,
    },
    ...defined({ smtp: smtpHost === '' ? undefined : smtp }),
  }
  const errors = {
    ...checkSchema(body, texts),
    ...checkPin({ link, texts }, values),
    ...checkPasswords(passwords, texts),
  }
  return Object.keys(errors).length > 0 ? { errors } : { body: body as ImapRegistration }
}

/**
 * Checks the fields name, address and password of the hosted form, before the mail servers are
 * looked up.
 */
export function checkPerson(
  { link, texts }: CheckContext,
  values: Pick<FormValues, 'name' | 'email'>,
  pass: string,
): FormErrors {
  return {
    ...checkSchema({ account: link.account, ...values }, texts),
    ...checkPin({ link, texts }, { ...values, imapUser: '', smtpUser: '' }),
    ...checkPasswords({ imap: pass, smtp: '' }, texts),
  }
}

/** Parses the port of a mail server. Text that is no port becomes 0, which the schema rejects. */
function parsePort(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : 0
}

/** Names of the error texts of the hosted form that have no parameters. */
type PlainErrorText = Exclude<keyof ErrorTexts, 'pinned' | 'pinnedUser'>

/**
 * Form fields and names of the error texts of the hosted form, by the field path that the schema of
 * the API reports.
 */
const fieldErrors: Record<string, { field: keyof FormErrors; text: PlainErrorText }> = {
  name: { field: 'name', text: 'name' },
  email: { field: 'email', text: 'email' },
  'imap.host': { field: 'imapHost', text: 'host' },
  'imap.port': { field: 'imapPort', text: 'port' },
  'imap.auth.user': { field: 'imapUser', text: 'user' },
  'imap.auth.pass': { field: 'imapPass', text: 'pass' },
  'smtp.host': { field: 'smtpHost', text: 'host' },
  'smtp.port': { field: 'smtpPort', text: 'port' },
  'smtp.auth.user': { field: 'smtpUser', text: 'user' },
  'smtp.auth.pass': { field: 'smtpPass', text: 'pass' },
}

/**
 * Checks the mail server settings posted in the hosted form with the schema of the API. Returns the
 * error texts by form field.
 */
function checkSchema(body: object, texts: ErrorTexts): FormErrors {
  try {
    check(AccountRegistrationSchema, body)
    return {}
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error
    const errors = (error.extras.fields ?? []).map(({ path }) => {
      const { field, text } = fieldErrors[path] ?? { field: 'imapHost', text: 'other' }
      return [field, texts[text]] as const
    })
    return Object.fromEntries(errors)
  }
}

function checkPasswords({ imap }: Passwords, texts: ErrorTexts): FormErrors {
  return imap === '' ? { imapPass: texts.pass } : {}
}

/**
 * Compares address and user names of the hosted form with `expectedEmail`. The comparison rejects
 * logins with the name of another mailbox. It does not prove ownership, because mail servers choose
 * user names freely.
 */
function checkPin(
  { link, texts }: CheckContext,
  { email, imapUser, smtpUser }: Pick<FormValues, 'email' | 'imapUser' | 'smtpUser'>,
): FormErrors {
  const { expectedEmail } = link.request
  if (expectedEmail === undefined) return {}
  const expected = expectedEmail.toLowerCase()
  const names = ['', expected, expected.slice(0, expected.lastIndexOf('@'))]
  const userError = (user: string) =>
    names.includes(user.toLowerCase()) ? undefined : texts.pinnedUser(expectedEmail)
  return defined({
    email: email.toLowerCase() === expected ? undefined : texts.pinned(expectedEmail),
    imapUser: userError(imapUser),
    smtpUser: userError(smtpUser),
  })
}
