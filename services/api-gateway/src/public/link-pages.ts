import { type SignedParams, signedTarget } from './link-request.ts'
import { escapeHtml, hiddenField, type Page, type PageTheme, renderPage } from './page-layout.ts'
import { localeParameter } from './page-theme.ts'

/**
 * HTML form of an unsubscribe page. The form's target URL contains the signed parameters of the
 * link, which authorize the posted form.
 */
export interface ListForm extends SignedParams<'unsub'> {
  /**
   * State of the recipient's subscription. `blocked`: the sender has blocked the recipient, who
   * cannot change the state.
   */
  state: 'confirm' | 'unsubscribed' | 'blocked' | 'resubscribed'
  /** URL to which the unsubscribe form is posted, relative to its page. */
  target: string
}

/** Page of a mailing list: state of the recipient's subscription, and a button to change it. */
export function listPage(form: ListForm, theme: PageTheme): Page {
  const texts = theme.language.texts.links
  const { title, lead, note } = texts[form.state]
  const { rcpt, list } = form.link
  const body = `<h1>${title}</h1>
<p>${lead}</p>
<dl><dt>${texts.address}</dt><dd>${escapeHtml(rcpt)}</dd><dt>${texts.list}</dt><dd>${escapeHtml(list)}</dd></dl>
${changeForm(form, theme)}<p class="note">${note}</p>`
  return renderPage({ title, body }, theme)
}

/**
 * HTML form that changes the recipient's subscription to a list; empty if the recipient may not
 * change the subscription.
 */
function changeForm(form: ListForm, theme: PageTheme): string {
  const { state, target } = form
  if (state === 'blocked') return ''
  const action = state === 'unsubscribed' ? 'subscribe' : 'unsubscribe'
  const url = signedTarget(target, form) + localeParameter(theme)
  return `<form method="post" action="${escapeHtml(url)}">
${hiddenField('action', action)}
<button type="submit">${theme.language.texts.links[state].button}</button>
</form>
`
}
