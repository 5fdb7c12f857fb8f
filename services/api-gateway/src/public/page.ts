import { type Branding, escape, frame, hidden, type Page } from './frame.ts'
import { texts } from './texts.ts'

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
  const { title, lead, button, note } = texts[form.state]
  const action = form.state === 'left' ? 'subscribe' : 'unsubscribe'
  const body = `<h1>${title}</h1>
<p>${lead}</p>
<dl><dt>${texts.address}</dt><dd>${escape(form.recipient)}</dd><dt>${texts.list}</dt><dd>${escape(form.listId)}</dd></dl>
<form method="post" action="${form.target}">
${hidden('data', form.data)}${hidden('sig', form.sig)}${hidden('action', action)}
<button type="submit">${button}</button>
</form>
<p class="note">${note}</p>`
  return frame({ title, body }, branding)
}

/** A page that only says something. */
export function notePage(what: 'invalid' | 'unavailable', branding: Branding): Page {
  const { title, lead } = texts[what]
  return frame({ title, body: `<h1>${title}</h1>\n<p>${lead}</p>` }, branding)
}
