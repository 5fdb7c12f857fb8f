import { type SignedParams, signedTarget } from './link-request.ts'
import { type Branding, escapeHtml, hiddenField, type Page, renderPage } from './page-layout.ts'

/** Texts of the pages behind links in messages. */
export const linkTexts = {
  confirm: {
    title: 'Unsubscribe',
    lead: 'Do you want to stop receiving these messages?',
    button: 'Unsubscribe',
    note: 'Nothing changes until you press the button.',
  },
  unsubscribed: {
    title: 'You are unsubscribed',
    lead: 'You will not receive messages of this list any more.',
    button: 'Subscribe again',
    note: 'If this was a mistake, you can subscribe again at any time.',
  },
  blocked: {
    title: 'You are unsubscribed',
    lead: 'You will not receive messages of this list any more.',
    note: 'Only the sender of the list can subscribe you again.',
  },
  resubscribed: {
    title: 'You are subscribed again',
    lead: 'You will receive the messages of this list again.',
    button: 'Unsubscribe',
    note: 'You can unsubscribe at any time.',
  },
  address: 'Address',
  list: 'List',
  invalid: {
    title: 'This link does not work',
    lead: 'It is incomplete or was changed. Open it again from the message, or copy the whole link.',
  },
  unavailable: {
    title: 'Not possible right now',
    lead: 'Nothing was changed. Please try again in a minute.',
  },
  oneClick: 'Unsubscribed',
} as const

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
export function listPage(form: ListForm, branding: Branding): Page {
  const { title, lead, note } = linkTexts[form.state]
  const { rcpt, list } = form.link
  const body = `<h1>${title}</h1>
<p>${lead}</p>
<dl><dt>${linkTexts.address}</dt><dd>${escapeHtml(rcpt)}</dd><dt>${linkTexts.list}</dt><dd>${escapeHtml(list)}</dd></dl>
${changeForm(form)}<p class="note">${note}</p>`
  return renderPage({ title, body }, branding)
}

/**
 * HTML form that changes the recipient's subscription to a list; empty if the recipient may not
 * change the subscription.
 */
function changeForm(form: ListForm): string {
  const { state, target } = form
  if (state === 'blocked') return ''
  const action = state === 'unsubscribed' ? 'subscribe' : 'unsubscribe'
  return `<form method="post" action="${escapeHtml(signedTarget(target, form))}">
${hiddenField('action', action)}
<button type="submit">${linkTexts[state].button}</button>
</form>
`
}
