import { createHash } from 'node:crypto'
import { defined } from '@posthorn/contracts/defined'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { PageLanguage } from './texts/choose-language.ts'

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

/** Operator settings that determine appearance and language of public pages. */
export type Branding = Pick<
  Settings,
  'pageBrandName' | 'templateHeader' | 'templateHtmlHead' | 'serviceUrl' | 'locale'
>

export type ColorScheme = 'light' | 'dark'

/** Appearance and language of a public page, by the operator's settings, link and browser. */
export interface PageTheme extends Branding {
  language: PageLanguage
  /** Color scheme of a public page; absent for the color scheme of the device. */
  colorScheme?: ColorScheme
}

export interface Page {
  html: string
  /** Value of the header `Content-Security-Policy` of a public page. */
  contentSecurityPolicy: string
  language: PageLanguage
}

export interface PageContent {
  title: string
  /**
   * HTML of the body of a public page. External values in the HTML are escaped with `escapeHtml`.
   */
  body: string
  /** URL to which a public page redirects; the browser follows the redirect without a click. */
  redirectUrl?: string
}

/**
 * Renders a complete public page. The page works without scripts, which its content security policy
 * forbids.
 */
export function renderPage({ title, body, redirectUrl }: PageContent, theme: PageTheme): Page {
  const { templateHeader, templateHtmlHead, colorScheme, language } = theme
  const brand = escapeHtml(brandName(theme))
  const refresh =
    redirectUrl === undefined
      ? ''
      : `<meta http-equiv="refresh" content="0; url=${escapeHtml(redirectUrl)}">\n`
  // Inserts the operator's templates into a public page as trusted HTML, without escaping.
  const html = `<!doctype html>
<html lang="${language.tag}"${colorScheme ? ` data-theme="${colorScheme}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
${refresh}<title>${title}${brand === '' ? '' : ` – ${brand}`}</title>
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
  const hasTemplates = Boolean(templateHeader) || Boolean(templateHtmlHead)
  return { html, contentSecurityPolicy: contentSecurityPolicy(hasTemplates), language }
}

export interface MessageTexts {
  title: string
  lead: string
  /**
   * HTML below the text of a public page. External values in the HTML are escaped with
   * `escapeHtml`.
   */
  details?: string
  /** Text of the link at the end of a public page. */
  next?: string
}

/**
 * Public page with a message. `next` adds a link, which browsers follow automatically with
 * `isAutomatic`.
 */
export function messagePage(
  { title, lead, details = '', next: text }: MessageTexts,
  theme: PageTheme,
  next?: { href: string; isAutomatic?: boolean },
): Page {
  const link =
    next && text ? `\n<nav><a class="button" href="${escapeHtml(next.href)}">${text}</a></nav>` : ''
  const body = `<h1>${title}</h1>\n<p>${lead}</p>${details}${link}`
  const redirectUrl = next?.isAutomatic ? next.href : undefined
  return renderPage({ title, body, ...defined({ redirectUrl }) }, theme)
}

/**
 * Content security policy of a public page, which allows no scripts. External images, fonts and
 * styles are allowed only if the operator has set templates.
 */
function contentSecurityPolicy(hasTemplates: boolean): string {
  const loads = hasTemplates
    ? "style-src 'unsafe-inline' https:; img-src https: data:; font-src https: data:"
    : `style-src 'sha256-${styleHash}'`
  return `default-src 'none'; ${loads}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
}

function brandName({ pageBrandName, serviceUrl }: Branding): string {
  return pageBrandName ?? (serviceUrl === undefined ? '' : new URL(serviceUrl).hostname)
}

/** Escapes text for HTML content and attribute values. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

export function hiddenField(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`
}
