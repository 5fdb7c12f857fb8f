import { encryptFormState, decryptFormState } from '@posthorn/links'
import type { Autoconfig } from '../../autoconfig/autoconfig.ts'
import { appPasswordFor, providerOfDomain } from '../../autoconfig/providers.ts'
import { probeServers } from '../../accounts/probe-servers.ts'
import { countProbes } from '../../store/form-links.ts'
import { sendPage } from '../send-page.ts'
import { type ConnectDeps, connectMailbox } from './connect-mailbox.ts'
import { explainVerification } from './explain-verification.ts'
import type { ServersView } from './form-fields.ts'
import { messagePage, personPage, serversPage } from './form-pages.ts'
import { formTexts } from './form-texts.ts'
import { redirectUrlOf } from './redirect-back.ts'
import type { FormLinkDeps, FormRequest } from './with-form-link.ts'
import {
  checkPerson,
  type FormValues,
  type Passwords,
  parseSettings,
  type ImapRegistration,
  type FormErrors,
} from './parse-settings.ts'

export interface ImapFormDeps extends FormLinkDeps, ConnectDeps {
  autoconfig: Autoconfig
  /** For both servers together, which are tried at the same time. */
  timeoutMs: number
}

/** The page that asks who it is, empty. */
export function showPerson({ count }: ImapFormDeps, opened: FormRequest): void {
  const { name = '', email = '', expectedEmail } = opened.link.request
  count('page')
  sendPerson(opened, { name, email: expectedEmail ?? email })
}

/** Looks the servers of the address up, and shows what was found. */
export async function onPerson(deps: ImapFormDeps, opened: FormRequest) {
  const { params: given, link, nonce, key, signal } = opened
  const { name, email } = readFilled(given)
  const pass = given.get('pass') ?? ''
  const wrong = checkPerson(link, { name, email }, pass)
  if (Object.keys(wrong).length > 0) {
    deps.count('refused')
    return sendPerson(opened, { name, email, wrong }, 400)
  }
  if (!(await countProbes(deps.db, nonce, 1))) return exhausted(deps, opened)
  const { imap, smtp } = await deps.autoconfig(email, signal)
  const filled = {
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
  const kept = encryptFormState(key, nonce, JSON.stringify({ imap: pass, smtp: '' }))
  sendServers(opened, { values: filled, encryptedPasswords: kept, isDiscovered: Boolean(imap) })
}

/** Tries the settings, and says what came of it. */
export async function onTest(deps: ImapFormDeps, opened: FormRequest) {
  await tried(deps, opened)
}

/** Tries the settings, and takes them where they work. */
export async function onServers(deps: ImapFormDeps, opened: FormRequest) {
  const body = await tried(deps, opened)
  if (!body) return
  const { link, nonce, theme: look, response } = opened
  const state = await connectMailbox(deps, { account: link.account, body, formNonce: nonce })
  deps.count('connected')
  // Not a redirect: browsers hold those after a form against `form-action`, wherever they lead then.
  const next = { href: redirectUrlOf({ ...link, state }), byItself: true }
  sendPage(response, 200, messagePage(formTexts.done, look, next))
}

/** What was filled in, where it works and is only to be taken; else it has been answered. */
async function tried(
  deps: ImapFormDeps,
  opened: FormRequest,
): Promise<ImapRegistration | undefined> {
  const { params: given, link, nonce, key, signal, request } = opened
  const filled = readFilled(given)
  const passwords = passwordsOf(opened)
  const encryptedPasswords = encryptFormState(key, nonce, JSON.stringify(passwords))
  const view = { values: filled, encryptedPasswords, isDiscovered: given.get('found') === '1' }
  const { body, wrong } = parseSettings(link, filled, passwords)
  if (wrong) {
    deps.count('refused')
    sendServers(opened, { ...view, errors: wrong, ...generalOf(wrong) }, 400)
    return undefined
  }
  if (!(await countProbes(deps.db, nonce, body.smtp ? 2 : 1))) {
    exhausted(deps, opened)
    return undefined
  }
  const { bus, timeoutMs } = deps
  const verdicts = await probeServers({ bus, timeoutMs, signal }, body)
  const failed = explain(verdicts)
  const works = { imap: verdicts.imap?.success ?? false, smtp: verdicts.smtp?.success ?? false }
  deps.count('tested')
  if (!failed && request.path.endsWith('/server')) return body
  sendServers(opened, { ...view, works, ...failed }, failed?.status ?? 200)
  return undefined
}

const fieldsOf = {
  imap: { pass: 'imapPass', host: 'imapHost' },
  smtp: { pass: 'smtpPass', host: 'smtpHost' },
} as const

/** Shown at the fields they belong to; undefined where both logins worked. */
function explain(verdicts: Awaited<ReturnType<typeof probeServers>>) {
  const wrong: FormErrors = {}
  let general: string | undefined
  for (const kind of ['imap', 'smtp'] as const) {
    const verdict = verdicts[kind]
    const explained = verdict && explainVerification(verdict)
    if (explained?.at === 'none') general = explained.text
    else if (explained) wrong[fieldsOf[kind][explained.at]] = explained.text
  }
  if (general !== undefined) return { status: 503, errors: wrong, general }
  return Object.keys(wrong).length > 0 ? { status: 422, errors: wrong } : undefined
}

/** Name and address are not on the page any more. */
function generalOf({ name, email }: FormErrors): { general?: string } {
  const general = email ?? name
  return general === undefined ? {} : { general }
}

function readFilled(given: URLSearchParams): FormValues {
  const text = (name: keyof FormValues) => (given.get(name) ?? '').trim()
  return {
    name: text('name'),
    email: text('email'),
    imapHost: text('imapHost'),
    imapPort: text('imapPort'),
    imapSecurity: text('imapSecurity') === 'starttls' ? 'starttls' : 'tls',
    imapUser: text('imapUser'),
    smtpHost: text('smtpHost'),
    smtpPort: text('smtpPort'),
    smtpUser: text('smtpUser'),
  }
}

/** What is typed now, else what was typed before. */
function passwordsOf({ params: given, key, nonce }: FormRequest): Passwords {
  const before = decryptFormState(key, nonce, given.get('kept') ?? '')
  const known = before === undefined ? {} : (JSON.parse(before) as Partial<Passwords>)
  return {
    imap: given.get('imapPass') || (known.imap ?? ''),
    smtp: given.get('smtpPass') || (known.smtp ?? ''),
  }
}

function exhausted({ count }: ImapFormDeps, { theme: look, response }: FormRequest): void {
  count('exhausted')
  sendPage(response, 429, messagePage(formTexts.exhausted, look))
}

type Person = { name: string; email: string; wrong?: FormErrors }

function sendPerson(opened: FormRequest, { name, email, wrong = {} }: Person, status = 200): void {
  const pinned = opened.link.request.expectedEmail !== undefined
  const provider = providerOfDomain(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
  const appPassword = provider?.appPassword && { provider: provider.name, ...provider.appPassword }
  sendPage(opened.response, status, personPage(opened, { name, email, pinned, appPassword, wrong }))
}

type Servers = Pick<ServersView, 'values' | 'encryptedPasswords' | 'isDiscovered'> &
  Partial<ServersView>

function sendServers(opened: FormRequest, view: Servers, status = 200): void {
  const appPassword = appPasswordFor(view.values.imapHost.toLowerCase())
  const whole = { errors: {}, works: {}, ...view, appPassword }
  sendPage(opened.response, status, serversPage(opened, whole))
}
