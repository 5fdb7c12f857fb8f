import { createHash } from 'node:crypto'
import type { Settings } from '@posthorn/contracts'

const light =
  '--ground: #f4f5f7; --card: #fff; --text: #1c1e21; --quiet: #5c636e; --line: #d9dce1; --edge: #82899a; --act: #1a56c4; --bad: #b3261e; --good: #1a7540;'
const dark =
  '--ground: #15171a; --card: #202327; --text: #f0f1f3; --quiet: #a5abb5; --line: #3a3f46; --edge: #7b828e; --act: #2f6fe0; --bad: #ff8a80; --good: #7bd89b;'
const style = `
:root { color-scheme: light dark; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }
:root[data-theme="light"] { color-scheme: light; ${light} }
:root[data-theme="dark"] { color-scheme: dark; ${dark} }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 8vh auto; padding: 2rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.brand { margin: 0 0 1.5rem; color: var(--quiet); font-weight: 600; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
dl { margin: 1.5rem 0; padding: 1rem 0; border: solid var(--line); border-width: 1px 0; }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0 0 .75rem; font-weight: 600; overflow-wrap: anywhere; }
dd:last-child { margin-bottom: 0; }
button, .button { display: block; width: 100%; min-height: 3rem; margin: 0; padding: .75rem 1rem; border: 1px solid var(--act); border-radius: .5rem; background: var(--act); color: #fff; font: inherit; font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere; cursor: pointer; }
button.second, .button.second { background: none; border-color: var(--edge); color: var(--text); }
button:focus-visible, .button:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
button + button, .button + .button { margin-top: .75rem; }
label ~ button { margin-top: 1.5rem; }
form, nav { margin-top: 1.5rem; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input, select { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); color: var(--text); font: inherit; }
input[readonly] { background: var(--ground); }
input[aria-invalid="true"] { border-color: var(--bad); border-width: 2px; }
fieldset { margin: 1.5rem 0; padding: 0 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
legend { padding: 0 .5rem; font-weight: 600; }
.bad, .good { margin: .25rem 0 0; font-size: .875rem; overflow-wrap: anywhere; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.hint { margin: 1rem 0; padding: .75rem 1rem; border-left: 4px solid var(--act); background: var(--ground); overflow-wrap: anywhere; }
.hint a { color: inherit; }
.note { margin: 1rem 0 0; color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere; }
label + .note { margin: 0 0 .25rem; }
@media (max-width: 32rem) { main { max-width: none; margin: 0; min-height: 100vh; border: 0; border-radius: 0; } }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/** What an operator may put into the pages, and what they are called. */
export type Branding = Pick<
  Settings,
  'pageBrandName' | 'templateHeader' | 'templateHtmlHead' | 'serviceUrl'
>

export type ColorScheme = 'light' | 'dark'

/** How a page looks: the operator's part, and what whoever leads here asks for; without a theme it is that of the device. */
export interface PageTheme extends Branding {
  colorScheme?: ColorScheme
}

export interface Page {
  html: string
  /** What the browser may load for it. */
  contentSecurityPolicy: string
}

export interface PageContent {
  title: string
  /** HTML: whatever is not ours in it went through `escape`. */
  body: string
  /** Where the browser goes by itself. */
  redirectUrl?: string
}

/** A whole page around what it says. Works without scripts, and lets none run. */
export function renderPage(
  { title, body, redirectUrl: leadsTo }: PageContent,
  look: PageTheme,
): Page {
  const { templateHeader, templateHtmlHead, colorScheme: theme } = look
  const brand = escapeHtml(nameOf(look))
  // The operator's own parts go in as they are: whoever may set them may speak in the operator's name.
  const html = `<!doctype html>
<html lang="en"${theme ? ` data-theme="${theme}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
${leadsTo === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escapeHtml(leadsTo)}">\n`}<title>${title}${brand === '' ? '' : ` – ${brand}`}</title>
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
  return {
    html,
    contentSecurityPolicy: policyFor(Boolean(templateHeader) || Boolean(templateHtmlHead)),
  }
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

/** Text as it may stand in HTML and in its attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** A field of a form that nobody sees. */
export function hiddenField(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`
}
