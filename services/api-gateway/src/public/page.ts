import { createHash } from 'node:crypto'
import type { Settings } from '@posthorn/contracts'
import { texts } from './texts.ts'

const style = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #fff; --text: #1c1e21; --quiet: #5c636e; --line: #d9dce1; --act: #1a56c4; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --card: #202327; --text: #f0f1f3; --quiet: #a5abb5; --line: #3a3f46; --act: #2f6fe0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 8vh auto; padding: 2rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.brand { margin: 0 0 1.5rem; color: var(--quiet); font-weight: 600; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
dl { margin: 1.5rem 0; padding: 1rem 0; border: solid var(--line); border-width: 1px 0; }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0 0 .75rem; font-weight: 600; overflow-wrap: anywhere; }
dd:last-child { margin-bottom: 0; }
button { width: 100%; min-height: 3rem; padding: .75rem 1rem; border: 0; border-radius: .5rem; background: var(--act); color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
button:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
.note { margin: 1rem 0 0; color: var(--quiet); font-size: .875rem; }
@media (max-width: 32rem) { main { max-width: none; margin: 0; min-height: 100vh; border: 0; border-radius: 0; } }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/** What an operator may put into the pages, and what they are called. */
export type Branding = Pick<
  Settings,
  'pageBrandName' | 'templateHeader' | 'templateHtmlHead' | 'serviceUrl'
>

export interface Page {
  html: string
  /** What the browser may load for it. */
  policy: string
}

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

/** The page of a list: what is the case, and a button for the other thing. Works without scripts. */
export function listPage(form: ListForm, branding: Branding): Page {
  const { title, lead, button, note } = texts[form.state]
  const action = form.state === 'left' ? 'subscribe' : 'unsubscribe'
  const hidden = (name: string, value: string) =>
    `<input type="hidden" name="${name}" value="${escape(value)}">`
  const body = `<h1>${title}</h1>
<p>${lead}</p>
<dl><dt>${texts.address}</dt><dd>${escape(form.recipient)}</dd><dt>${texts.list}</dt><dd>${escape(form.listId)}</dd></dl>
<form method="post" action="${form.target}">
${hidden('data', form.data)}${hidden('sig', form.sig)}${hidden('action', action)}
<button type="submit">${button}</button>
</form>
<p class="note">${note}</p>`
  return frame(title, body, branding)
}

/** A page that only says something. */
export function notePage(what: 'invalid' | 'unavailable', branding: Branding): Page {
  const { title, lead } = texts[what]
  return frame(title, `<h1>${title}</h1>\n<p>${lead}</p>`, branding)
}

function frame(title: string, body: string, branding: Branding): Page {
  const { templateHeader, templateHtmlHead } = branding
  const brand = escape(nameOf(branding))
  // The operator's own parts go in as they are: whoever may set them may speak in the operator's name.
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title}${brand === '' ? '' : ` – ${brand}`}</title>
<style>${style}</style>
${templateHtmlHead ?? ''}
</head>
<body>
${templateHeader ?? ''}
<main>
${brand === '' ? '' : `<p class="brand">${brand}</p>\n`}${body}
</main>
</body>
</html>
`
  return { html, policy: policyFor(Boolean(templateHeader) || Boolean(templateHtmlHead)) }
}

/** Never a script. Pictures, fonts and styles of others only where the operator put something in. */
function policyFor(adorned: boolean): string {
  const loads = adorned
    ? "style-src 'unsafe-inline' https:; img-src https: data:; font-src https: data:"
    : `style-src 'sha256-${styleHash}'`
  return `default-src 'none'; ${loads}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
}

function nameOf({ pageBrandName, serviceUrl }: Branding): string {
  return pageBrandName ?? (serviceUrl === undefined ? '' : new URL(serviceUrl).hostname)
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
