import { defined } from '@posthorn/contracts/defined'
import { decryptFormState, encryptFormState } from '@posthorn/links'
import { type ProbeResult, probeWithoutDetails } from '../../accounts/probe-servers.ts'
import type { Autoconfig } from '../../autoconfig/autoconfig.ts'
import { appPasswordFor, appPasswordOf, providerOfDomain } from '../../autoconfig/providers.ts'
import { countProbes } from '../../store/accounts/form-links.ts'
import { messagePage } from '../page-layout.ts'
import { sendPage } from '../send-page.ts'
import type { PageTexts } from '../texts/english.ts'
import { type ConnectDeps, connectMailbox } from './connect-mailbox.ts'
import { explainVerification } from './explain-verification.ts'
import { personPage, type ServersView, serversPage, textsOf } from './form-pages.ts'
import {
  checkPerson,
  type FormErrors,
  type FormValueName,
  formValueNames,
  type FormValues,
  type ImapRegistration,
  parseSettings,
  type Passwords,
} from './parse-settings.ts'
import { redirectUrlOf } from './redirect-back.ts'
import type { FormLinkDeps, FormRequest } from './with-form-link.ts'

export interface ImapFormDeps extends FormLinkDeps, ConnectDeps {
  autoconfig: Autoconfig
  /** Timeout of a test login. The logins at the IMAP and SMTP servers are tested concurrently. */
  timeoutMs: number
  /** Fixed duration of a test login if the mail server cannot be used. */
  unusableMs: number
}

/**
 * Shows the page of the hosted form for name and address. Values that the link to the form contains
 * are filled in.
 */
export function showPerson({ count }: ImapFormDeps, form: FormRequest): void {
  const { name = '', email = '', expectedEmail } = form.link.request
  count('page')
  sendPerson(form, { name, email: expectedEmail ?? email })
}

/**
 * Finds the mail servers of the address that a user has posted in the hosted form, and shows the
 * settings of these servers.
 */
export async function onPerson(deps: ImapFormDeps, form: FormRequest): Promise<void> {
  const { params, link, nonce, key, signal } = form
  const texts = textsOf(form).errors
  const { name, email } = readValues(params)
  const pass = params.get('pass') ?? ''
  const errors = checkPerson({ link, texts }, { name, email }, pass)
  if (Object.keys(errors).length > 0) {
    deps.count('refused')
    return sendPerson(form, { name, email, errors }, 400)
  }
  if (!(await countProbes(deps.db, nonce, 1))) return sendExhausted(deps, form)
  const { imap, smtp } = await deps.autoconfig(email, signal)
  const values = {
    name,
    email,
    imapHost: imap ? imap.host : '',
    imapPort: imap ? String(imap.port) : '993',
    imapSecurity: imap && !imap.secure ? 'starttls' : 'tls',
    imapUser: imap ? imap.auth.user : email,
    smtpHost: smtp ? smtp.host : '',
    smtpPort: smtp ? String(smtp.port) : '465',
    smtpUser: smtp ? smtp.auth.user : email,
  }
  deps.count('page')
  const encryptedPasswords = encryptFormState(key, nonce, JSON.stringify({ imap: pass, smtp: '' }))
  sendServers(form, { values, encryptedPasswords, isDiscovered: Boolean(imap) })
}

/** Tests the posted mail server settings and registers the account if both logins succeed. */
export async function onServers(deps: ImapFormDeps, form: FormRequest): Promise<void> {
  const body = await onTest(deps, form)
  if (!body) return
  const { link, nonce, theme, response } = form
  const state = await connectMailbox(deps, { account: link.account, body, formNonce: nonce })
  deps.count('connected')
  // A redirect by the HTML page, not by the HTTP response: browsers apply `form-action` to HTTP
  // redirects after an HTML form.
  const next = { href: redirectUrlOf({ ...link, state }), isAutomatic: true }
  sendPage(response, 200, messagePage(textsOf(form).done, theme, next))
}

/**
 * Tests the mail server settings that a user has posted in the hosted form. Returns the settings if
 * an account is to be registered with them. Otherwise sends a page with the result and returns
 * undefined.
 */
export async function onTest(
  deps: ImapFormDeps,
  form: FormRequest,
): Promise<ImapRegistration | undefined> {
  const { params, link, nonce, key, signal, request } = form
  const values = readValues(params)
  const passwords = readPasswords(form)
  const encryptedPasswords = encryptFormState(key, nonce, JSON.stringify(passwords))
  const view = { values, encryptedPasswords, isDiscovered: params.get('found') === '1' }
  const { body, errors } = parseSettings({ link, texts: textsOf(form).errors }, values, passwords)
  if (errors) {
    deps.count('refused')
    // Shows errors of the fields name and address as a general error, because the page with the
    // mail server settings does not have these fields.
    const general = errors.email ?? errors.name
    sendServers(form, { ...view, errors, ...defined({ general }) }, 400)
    return undefined
  }
  if (!(await countProbes(deps.db, nonce, body.smtp ? 2 : 1))) {
    sendExhausted(deps, form)
    return undefined
  }
  const { bus, timeoutMs, unusableMs } = deps
  const results = await probeWithoutDetails({ bus, timeoutMs, unusableMs, signal }, body)
  const failure = explainFailure(results, textsOf(form).verification)
  const works = { imap: results.imap?.success === true, smtp: results.smtp?.success === true }
  deps.count('tested')
  if (!failure && request.path.endsWith('/server')) return body
  sendServers(form, { ...view, works, ...failure?.view }, failure?.status ?? 200)
  return undefined
}

const fieldNames = {
  imap: { pass: 'imapPass', host: 'imapHost' },
  smtp: { pass: 'smtpPass', host: 'smtpHost' },
} as const

interface TestFailure {
  status: 422 | 503
  view: Pick<ServersView, 'errors' | 'general'>
}

/** Status and error texts of failed mail server logins; undefined if all logins succeeded. */
function explainFailure(
  results: ProbeResult,
  texts: PageTexts['form']['verification'],
): TestFailure | undefined {
  const errors: FormErrors = {}
  let general: string | undefined
  for (const kind of ['imap', 'smtp'] as const) {
    const result = results[kind]
    const problem = result && explainVerification(result, texts)
    if (problem?.at === 'none') general = problem.text
    else if (problem) errors[fieldNames[kind][problem.at]] = problem.text
  }
  if (general !== undefined) return { status: 503, view: { errors, general } }
  return Object.keys(errors).length > 0 ? { status: 422, view: { errors } } : undefined
}

function readValues(params: URLSearchParams): FormValues {
  const text = (name: FormValueName) => (params.get(name) ?? '').trim()
  const values = Object.fromEntries(formValueNames.map((name) => [name, text(name)])) as FormValues
  return { ...values, imapSecurity: values.imapSecurity === 'starttls' ? 'starttls' : 'tls' }
}

/**
 * Reads the passwords posted in the hosted form. An empty field stands for the password in the
 * form's encrypted state.
 */
function readPasswords({ params, key, nonce }: FormRequest): Passwords {
  const state = decryptFormState(key, nonce, params.get('kept') ?? '')
  const previous = state === undefined ? {} : (JSON.parse(state) as Partial<Passwords>)
  return {
    imap: params.get('imapPass') || (previous.imap ?? ''),
    smtp: params.get('smtpPass') || (previous.smtp ?? ''),
  }
}

/** Responds that no further mail servers can be tested with this link to the hosted form. */
export function sendExhausted({ count }: ImapFormDeps, form: FormRequest): void {
  count('exhausted')
  sendPage(form.response, 429, messagePage(textsOf(form).exhausted, form.theme))
}

type PersonInput = Pick<FormValues, 'name' | 'email'> & { errors?: FormErrors }

function sendPerson(form: FormRequest, { errors = {}, ...input }: PersonInput, status = 200): void {
  const { email } = input
  const pinned = form.link.request.expectedEmail !== undefined
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const appPassword = appPasswordOf(providerOfDomain(domain))
  sendPage(form.response, status, personPage(form, { ...input, pinned, appPassword, errors }))
}

type ServersInput = Pick<ServersView, 'values' | 'encryptedPasswords' | 'isDiscovered'> &
  Partial<ServersView>

function sendServers(form: FormRequest, view: ServersInput, status = 200): void {
  const appPassword = appPasswordFor(view.values.imapHost.toLowerCase())
  const page = serversPage(form, { errors: {}, works: {}, ...view, appPassword })
  sendPage(form.response, status, page)
}
