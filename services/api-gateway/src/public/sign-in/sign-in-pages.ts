import { escapeHtml, renderPage, type PageTheme, type Page } from '../page-layout.ts'
import { signInTexts } from './sign-in-texts.ts'

export interface SignInPage {
  words: { title: string; lead: string }
  /** Further HTML: whatever is not ours in it went through `escape`. */
  more?: string
  /** The address at the provider for another try. */
  again?: string
}

/** A page that tells what came of a sign-in, with a way to try it again where there is one. */
export function signInPage({ words, more = '', again }: SignInPage, look: PageTheme): Page {
  const button =
    again === undefined
      ? ''
      : `\n<nav><a class="button" href="${escapeHtml(again)}">${signInTexts.again}</a></nav>`
  const body = `<h1>${words.title}</h1>\n<p>${words.lead}</p>${more}${button}`
  return renderPage({ title: words.title, body }, look)
}

/** What the person did not allow, as the provider names it. */
export function scopeList(scopes: readonly string[]): string {
  const items = scopes.map((scope) => `<dd>${escapeHtml(scope)}</dd>`)
  return `\n<dl>${items.join('')}</dl>`
}

export function oneAddress(signedIn: string): string {
  return `\n<dl><dt>${signInTexts.other.signedIn}</dt><dd>${escapeHtml(signedIn)}</dd></dl>`
}

export function twoAddresses(expected: string, signedIn: string): string {
  const { other } = signInTexts
  return `\n<dl><dt>${other.expected}</dt><dd>${escapeHtml(expected)}</dd><dt>${other.signedIn}</dt><dd>${escapeHtml(signedIn)}</dd></dl>`
}
