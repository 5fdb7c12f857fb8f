import { compile } from 'html-to-text'
import { type HtmlRules, simplifyHtml } from './simplify-html.ts'
import { decodeEntities, stripTags } from './strip-tags.ts'

const limits = { maxDepth: 200, maxChildNodes: 50_000, ellipsis: '…' }
const convert = compile({
  wordwrap: false,
  selectors: [{ selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } }],
  limits,
})

const rules: HtmlRules = {
  elements: new Set(
    `a article aside blockquote br div footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre
    section table tbody td tfoot th thead tr ul wbr`.split(/\s+/),
  ),
  attributes: new Set(['href', 'start', 'type']),
  maxIndents: 20,
  maxLength: 1024 * 1024,
}

/**
 * Converts the HTML body of a message to plain text. If the HTML exceeds the limits of
 * `simplifyHtml`, only its bare text is returned. Takes linear time and never throws.
 */
export function htmlToText(html: string): string {
  const simple = simplifyHtml(html, rules)
  return simple.isComplete ? convert(simple.html) : decodeEntities(stripTags(html))
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text so that it can be inserted into HTML content and double-quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? '')
}
