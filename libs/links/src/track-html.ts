import { QuoteType, Tokenizer } from 'htmlparser2'
import type { LinkKey } from './link-key.ts'
import { isOwnLink, linkTo } from './signed-link.ts'

export interface Tracking {
  /** Base URL of the service that serves the tracking pixel and the redirects. */
  baseUrl: string
  key: LinkKey
  account: string
  messageId: string
  opens: boolean
  clicks: boolean
}

/** Maximum number of rewritten links per HTML message. Further links stay unchanged. */
const maxLinks = 10_000

interface Edit {
  start: number
  end: number
  text: string
}

/**
 * Rewrites the links in the HTML of a message to tracking redirects, and adds a tracking pixel.
 * Changes only `href`s of `<a>` with http and https, outside of comments, scripts and styles. All
 * other bytes stay unchanged. Takes linear time for any input.
 */
export function trackHtml(html: string, tracking: Tracking): string {
  if (!tracking.opens && !tracking.clicks) return html
  const { links, bodyEnd } = scan(html)
  const edits = tracking.clicks ? rewrite(links, tracking) : []
  if (tracking.opens) edits.push(...pixel(bodyEnd, tracking))
  return apply(html, edits)
}

/** Position of an `href` value in HTML, including its quotes, and the decoded value. */
interface Href {
  start: number
  end: number
  value: string
}

/**
 * Finds the first `href` of each `<a>` in HTML. Also finds the position of the last `</body>`, or
 * else the end of the HTML.
 */
function scan(html: string): { links: Href[]; bodyEnd: number } {
  const links: Href[] = []
  let bodyEnd = html.length
  let href: Href | undefined
  let inAnchor = false
  let name = { start: 0, end: 0 }
  let value = ''
  const is = (start: number, end: number, tag: string) =>
    end - start === tag.length && html.slice(start, end).toLowerCase() === tag
  const endTag = () => {
    if (inAnchor && href) links.push(href)
    inAnchor = false
  }
  const ignore = () => undefined
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        inAnchor = is(start, end, 'a')
        href = undefined
      },
      onattribname(start, end) {
        name = { start, end }
        value = ''
      },
      onattribdata(start, end) {
        if (inAnchor) value += html.slice(start, end)
      },
      onattribentity(codePoint) {
        if (inAnchor) value += String.fromCodePoint(codePoint)
      },
      onattribend(quote, end) {
        // If several attributes of an HTML element have the same name, only the first attribute is
        // valid (HTML §13.2.5.33).
        if (!inAnchor || href || quote === QuoteType.NoValue || !is(name.start, name.end, 'href'))
          return
        href = { start: startOfValue(html, name.end), end, value }
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag(start, end) {
        if (is(start, end, 'body')) bodyEnd = start - '</'.length
      },
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return { links, bodyEnd }
}

/**
 * Returns the position at which the value of an HTML attribute starts. For a quoted value, this is
 * the opening quote.
 */
function startOfValue(html: string, nameEnd: number): number {
  const equals = /\s*=\s*/y
  equals.lastIndex = nameEnd
  equals.test(html)
  return equals.lastIndex
}

function rewrite(links: readonly Href[], tracking: Tracking): Edit[] {
  return links.slice(0, maxLinks).flatMap(({ start, end, value }) => {
    const link = clickLink(value, tracking)
    return link === undefined ? [] : [{ start, end, text: `"${escape(link)}"` }]
  })
}

/** Returns the redirect URL for a link in a message. Undefined if the link must stay unchanged. */
function clickLink(
  value: string,
  { baseUrl, key, account, messageId }: Tracking,
): string | undefined {
  // White space, tabs and line breaks around a link's URL are removed, as URL parsers do (URL
  // standard §4.4).
  const address = value.trim().replace(/[\t\r\n]/g, '')
  if (!/^https?:/i.test(address)) return undefined
  const url = URL.parse(address)
  if (!url || isOwnLink(baseUrl, url)) return undefined
  return linkTo(baseUrl, key, { act: 'click', url: address, acc: account, msg: messageId })
}

function pixel(at: number, { baseUrl, key, account, messageId }: Tracking): Edit[] {
  const address = linkTo(baseUrl, key, { act: 'open', acc: account, msg: messageId })
  if (address === undefined) return []
  const text = `<img src="${escape(address)}" width="1" height="1" alt="" style="border:0">`
  return [{ start: at, end: at, text }]
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

function apply(html: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(html.slice(at, start), text)
    at = end
  }
  return parts.join('') + html.slice(at)
}
