import { compile } from 'html-to-text'
import { limitHtml } from './limit-html.ts'

const convert = compile({
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', format: 'skip' },
  ],
  limits: { maxDepth: 200, maxChildNodes: 20_000, ellipsis: '…' },
})

/** The text of an HTML body, for those who do not show HTML. Bounded in length and depth; never throws. */
export function htmlToText(html: string): string {
  try {
    return convert(limitHtml(html))
  } catch {
    return '' // nested so deeply that the converter gave up
  }
}
