import type { SignedParts } from '@posthorn/links'
import type { AppPassword } from '../../autoconfig/providers.ts'
import { escapeHtml, renderPage, hiddenField, type PageTheme, type Page } from '../page-layout.ts'
import { formTexts } from './form-texts.ts'
import { field, serverFields, type ServersView } from './form-fields.ts'

/** Where a page of the form is, and how it looks. */
export interface FormContext {
  parts: SignedParts
  /** From the page to the folder of `/accounts/new`: nothing, `../` or `../../`. */
  up: string
  theme: PageTheme
}

/** A way to sign in at a provider. */
export interface SignInOption {
  /** The id of the OAuth2 application. */
  id: string
  title: string
}

/** An address of the form, seen from a page of it. */
export function formUrl(
  { parts, up, theme: { colorScheme: theme } }: FormContext,
  type?: string,
): string {
  const query = new URLSearchParams({ data: parts.data, sig: parts.sig })
  if (type !== undefined) query.set('type', type)
  if (theme) query.set('theme', theme)
  return `${up}new?${query.toString()}`
}

/** The first page: which way to go. Links and not buttons: a browser holds redirects after a form against `form-action`. */
export function choicePage(place: FormContext, offers: readonly SignInOption[]): Page {
  const { title, lead, other, signIn } = formTexts.choose
  const way = (type: string, text: string, look: string) =>
    `<a class="${look}" href="${escapeHtml(formUrl(place, type))}">${escapeHtml(text)}</a>`
  const ways = [
    ...offers.map(({ id, title }) => way(id, signIn(title), 'button')),
    way('imap', other, offers.length > 0 ? 'button second' : 'button'),
  ]
  const body = `<h1>${title}</h1>\n<p>${lead}</p>\n<nav>\n${ways.join('\n')}\n</nav>`
  return renderPage({ title, body }, place.theme)
}

export interface PersonView {
  name: string
  email: string
  /** The one mailbox that may be connected. */
  pinned: boolean
  appPassword: AppPassword | undefined
  wrong: { name?: string; email?: string; imapPass?: string }
}

/** Who it is. */
export function personPage(place: FormContext, view: PersonView): Page {
  const { title, lead, name, email, pass, next, pinned } = formTexts.person
  const { wrong } = view
  const body = `<h1>${title}</h1>
<p>${lead}</p>
<form method="post" action="${place.up}new/imap">
${carried(place)}
${field({ name: 'name', label: name, value: view.name, wrong: wrong.name, more: 'autocomplete="name" maxlength="256"' })}
${field({ name: 'email', label: email, value: view.email, wrong: wrong.email, note: view.pinned ? pinned : undefined, more: `type="email" autocomplete="email" maxlength="320" required${view.pinned ? ' readonly' : ''}` })}
${hintOf(view.appPassword)}
${field({ name: 'pass', label: pass, value: '', wrong: wrong.imapPass, more: 'type="password" autocomplete="current-password" maxlength="256" required' })}
<button type="submit">${next}</button>
</form>`
  return renderPage({ title, body }, place.theme)
}

/** The settings of both servers, to be changed, tested and taken. */
export function serversPage(place: FormContext, view: ServersView): Page {
  const { title, lead, nothingFound, connect, test } = formTexts.servers
  const body = `<h1>${title}</h1>
<p>${view.isDiscovered ? lead : nothingFound}</p>
${view.general === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(view.general)}</p>\n`}${hintOf(view.appPassword)}
<form method="post" action="${place.up}new/imap/server">
${carried(place)}${hiddenField('kept', view.encryptedPasswords)}${hiddenField('found', view.isDiscovered ? '1' : '')}
${serverFields(view)}
<button type="submit">${connect}</button>
<button type="submit" class="second" formaction="${place.up}new/imap/test">${test}</button>
</form>`
  return renderPage({ title, body }, place.theme)
}

type Words = { title: string; lead: string; next?: string }

/** A page that says something, and leads on where there is a way. */
export function messagePage(
  words: Words,
  look: PageTheme,
  next?: { href: string; byItself?: boolean },
): Page {
  const { title, lead, next: text } = words
  const link =
    next && text ? `\n<nav><a class="button" href="${escapeHtml(next.href)}">${text}</a></nav>` : ''
  const body = `<h1>${title}</h1>\n<p>${lead}</p>${link}`
  return renderPage({ title, body, ...(next?.byItself ? { redirectUrl: next.href } : {}) }, look)
}

/** What every form brings back: the link that gives the right to it, and how it is to look. */
function carried({ parts, theme: { colorScheme: theme } }: FormContext): string {
  return [
    hiddenField('data', parts.data),
    hiddenField('sig', parts.sig),
    theme === undefined ? '' : hiddenField('theme', theme),
  ].join('')
}

/** What users of a provider have to know about passwords; addresses in it are links. */
function hintOf(appPassword: AppPassword | undefined): string {
  if (!appPassword) return ''
  const words = escapeHtml(appPassword.instructions).replace(
    /https:\/\/[^\s;,]+/g,
    (url) => `<a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a>`,
  )
  return `<p class="hint">${escapeHtml(appPassword.provider)}: ${words}.</p>`
}
