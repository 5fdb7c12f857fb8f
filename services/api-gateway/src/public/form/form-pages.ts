import type { SignedParts } from '@posthorn/links'
import type { AppPassword } from '../../autoconfig/providers.ts'
import { escapeHtml, hiddenField, type Page, type PageTheme, renderPage } from '../page-layout.ts'
import { localeParameter } from '../page-theme.ts'
import { signedTarget } from '../link-request.ts'
import type { PageTexts } from '../texts/english.ts'
import type { FormErrors, FormValueName, FormValues } from './parse-settings.ts'

/** Signed link, relative location and theme of a page of the hosted form. */
export interface FormContext {
  parts: SignedParts
  /**
   * Relative path from a page of the hosted form to the folder of `/accounts/new`: empty, `../` or
   * `../../`.
   */
  up: string
  theme: PageTheme
}

type FormTexts = PageTexts['form']
type ServersTexts = FormTexts['servers']

/** Texts of the hosted form in the language of the page. */
export function textsOf({ theme }: Pick<FormContext, 'theme'>): FormTexts {
  return theme.language.texts.form
}

/** OAuth2 provider that the user of the hosted form can sign in at. */
export interface SignInOption {
  /** Id of the OAuth2 application through which the user signs in. */
  id: string
  title: string
}

/** URL of the hosted form's first page, relative to the current page. `type`: the provider. */
export function formUrl(context: FormContext, type?: string): string {
  const url = stepUrl(context, 'new')
  return type === undefined ? url : `${url}&${new URLSearchParams({ type }).toString()}`
}

/**
 * URL of a step of the hosted form, relative to the current page. The query contains the signed
 * link parameters, the language and the color scheme.
 */
function stepUrl({ parts, up, theme }: FormContext, step: string): string {
  const { colorScheme } = theme
  const url = signedTarget(up + step, parts) + localeParameter(theme)
  return colorScheme ? `${url}&theme=${colorScheme}` : url
}

/**
 * First page of the hosted form: links to the providers and to IMAP. The links are not buttons of
 * an HTML form, because browsers apply `form-action` to the redirect to a provider.
 */
export function choicePage(context: FormContext, options: readonly SignInOption[]): Page {
  const { title, lead, other, signIn } = textsOf(context).choose
  const linkTo = (type: string, text: string, cssClass: string) =>
    `<a class="${cssClass}" href="${escapeHtml(formUrl(context, type))}">${escapeHtml(text)}</a>`
  const links = [
    ...options.map(({ id, title }) => linkTo(id, signIn(title), 'button')),
    linkTo('imap', other, options.length > 0 ? 'button second' : 'button'),
  ]
  const body = `<h1>${title}</h1>\n<p>${lead}</p>\n<nav>\n${links.join('\n')}\n</nav>`
  return renderPage({ title, body }, context.theme)
}

export interface PersonView {
  name: string
  email: string
  /** True if the link to the hosted form allows the mailbox of one address only. */
  pinned: boolean
  appPassword: AppPassword | undefined
  errors: FormErrors
}

/** Page of the hosted form in which the user enters name, address and password. */
export function personPage(context: FormContext, view: PersonView): Page {
  const texts = textsOf(context)
  const { title, lead, name, email, pass, next, pinned } = texts.person
  const { errors } = view
  const body = `<h1>${title}</h1>
<p>${lead}</p>
<form method="post" action="${escapeHtml(stepUrl(context, 'new/imap'))}">
${inputField({ name: 'name', label: name, value: view.name, error: errors.name, attributes: 'autocomplete="name" maxlength="256"' })}
${inputField({ name: 'email', label: email, value: view.email, error: errors.email, note: view.pinned ? pinned : undefined, attributes: `type="email" autocomplete="email" maxlength="320" required${view.pinned ? ' readonly' : ''}` })}
${passwordHint(view.appPassword, texts)}
${inputField({ name: 'pass', label: pass, value: '', error: errors.imapPass, attributes: 'type="password" autocomplete="current-password" maxlength="256" required' })}
<button type="submit">${next}</button>
</form>`
  return renderPage({ title, body }, context.theme)
}

export interface ServersView {
  values: FormValues
  errors: FormErrors
  /** Results of the mail server login tests, by protocol: true for a login that has succeeded. */
  works: { imap?: boolean; smtp?: boolean }
  /** Passwords of the mail servers, encrypted for this link to the hosted form. */
  encryptedPasswords: string
  /** True if autoconfig found the IMAP server that the form page shows. */
  isDiscovered: boolean
  /** Error text for the form page as a whole, which belongs to no field of the form. */
  general?: string
  appPassword: AppPassword | undefined
}

/**
 * Page of the hosted form with the settings of the IMAP and SMTP servers, which the user can edit,
 * test and save.
 */
export function serversPage(context: FormContext, view: ServersView): Page {
  const texts = textsOf(context)
  const { title, lead, notDiscovered, connect, test } = texts.servers
  const { general, isDiscovered } = view
  const body = `<h1>${title}</h1>
<p>${isDiscovered ? lead : notDiscovered}</p>
${general === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(general)}</p>\n`}${passwordHint(view.appPassword, texts)}
<form method="post" action="${escapeHtml(stepUrl(context, 'new/imap/server'))}">
${hiddenField('kept', view.encryptedPasswords)}${hiddenField('found', isDiscovered ? '1' : '')}
${serverFields(view, texts.servers)}
<button type="submit">${connect}</button>
<button type="submit" class="second" formaction="${escapeHtml(stepUrl(context, 'new/imap/test'))}">${test}</button>
</form>`
  return renderPage({ title, body }, context.theme)
}

const plain = 'autocapitalize="none" autocorrect="off" spellcheck="false"'

function serverFields({ values, errors, works }: ServersView, texts: ServersTexts): string {
  const input = (name: FormValueName, label: string, more = '') => {
    const attributes = `${plain} ${more}`
    return inputField({ name, label, value: values[name], error: errors[name], attributes })
  }
  const password = (name: 'imapPass' | 'smtpPass', note: string) => {
    const attributes = 'type="password" autocomplete="off" maxlength="256"'
    const field = { name, label: texts.pass, value: '', attributes }
    return inputField({ ...field, note, error: errors[name] })
  }
  const port = 'inputmode="numeric" maxlength="5"'
  const status = (success?: boolean) =>
    success ? `<p class="good" role="status">${texts.works}</p>` : ''
  return `${hiddenField('name', values.name)}${hiddenField('email', values.email)}
<fieldset><legend>${texts.incoming}</legend>
${status(works.imap)}${input('imapHost', texts.host, 'maxlength="253"')}
${input('imapPort', texts.port, port)}
${securityField(values.imapSecurity, texts)}
${input('imapUser', texts.user, 'maxlength="256"')}
${password('imapPass', texts.passNote)}
</fieldset>
<fieldset><legend>${texts.outgoing}</legend>
<p class="note">${texts.outgoingNote}</p>
${status(works.smtp)}${input('smtpHost', texts.host, 'maxlength="253"')}
${input('smtpPort', texts.smtpPort, port)}
${input('smtpUser', texts.user, 'maxlength="256"')}
${password('smtpPass', texts.smtpPassNote)}
</fieldset>`
}

function securityField(selected: string, { security, tls, startTls }: ServersTexts): string {
  const option = (value: string, label: string) =>
    `<option value="${value}"${selected === value ? ' selected' : ''}>${label}</option>`
  return `<label for="imapSecurity">${security}</label>
<select id="imapSecurity" name="imapSecurity">${option('tls', tls)}${option('starttls', startTls)}</select>`
}

/** HTML hint about app passwords of a mail provider. URLs in the hint become links. */
function passwordHint(appPassword: AppPassword | undefined, texts: FormTexts): string {
  if (!appPassword) return ''
  const { appPasswordHint, appPasswords } = texts
  const instructions = escapeHtml(appPasswords[appPassword.rule]).replace(
    /https:\/\/[^\s;,]+/g,
    (url) => `<a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a>`,
  )
  const hint = appPasswordHint(escapeHtml(appPassword.provider), instructions)
  return `<p class="hint">${hint}</p>`
}

interface InputField {
  name: string
  label: string
  value: string
  error?: string | undefined
  note?: string | undefined
  /** Additional HTML attributes of an input element in the hosted form. */
  attributes: string
}

/**
 * Input of an HTML form with its label, note and error. `aria-describedby` connects note and error
 * with the input for screen readers.
 */
function inputField({ name, label, value, error, note, attributes }: InputField): string {
  const ids = [note && `${name}-note`, error && `${name}-wrong`].filter(Boolean).join(' ')
  const aria = `${error ? ' aria-invalid="true"' : ''}${ids ? ` aria-describedby="${ids}"` : ''}`
  return `<label for="${name}">${label}</label>
${note ? `<p class="note" id="${name}-note">${escapeHtml(note)}</p>\n` : ''}<input id="${name}" name="${name}" value="${escapeHtml(value)}"${aria} ${attributes}>
${error ? `<p class="bad" id="${name}-wrong">${escapeHtml(error)}</p>` : ''}`
}
