import { type Branding, escapeHtml, renderPage, hiddenField, type Page } from './page-layout.ts'
import { linkTexts } from './texts.ts'

export interface ListForm {
  state: 'ask' | 'left' | 'back'
  recipient: string
  listId: string
  /** Of the link that gives the right to it. */
  data: string
  sig: string
  /** Where the form goes, seen from the page. */
  target: string
}

/** The page of a list: what is the case, and a button for the other thing. */
export function listPage(form: ListForm, branding: Branding): Page {
  const { title, lead, button, note } = linkTexts[form.state]
  const action = form.state === 'left' ? 'subscribe' : 'unsubscribe'
  const body = `<h1>${title}</h1>
<p>${lead}</p>
<dl><dt>${linkTexts.address}</dt><dd>${escapeHtml(form.recipient)}</dd><dt>${linkTexts.list}</dt><dd>${escapeHtml(form.listId)}</dd></dl>
<form method="post" action="${form.target}">
${hiddenField('data', form.data)}${hiddenField('sig', form.sig)}${hiddenField('action', action)}
<button type="submit">${button}</button>
</form>
<p class="note">${note}</p>`
  return renderPage({ title, body }, branding)
}

/** A page that only says something. */
export function notePage(what: 'invalid' | 'unavailable', branding: Branding): Page {
  const { title, lead } = linkTexts[what]
  return renderPage({ title, body: `<h1>${title}</h1>\n<p>${lead}</p>` }, branding)
}
