import { QuoteType, Tokenizer } from 'htmlparser2'
import { isOwnLink, linkTo } from './signed-link.ts'

export interface Tracking {
  /** Where the pixel and the redirects are: the address of the service. */
  baseUrl: string
  key: Buffer
  account: string
  messageId: string
  opens: boolean
  clicks: boolean
}

/** Links that are rewritten in one message: what is beyond stays as it is. */
const maxLinks = 10_000

interface Edit {
  start: number
  end: number
  text: string
}

/**
 * HTML whose links lead through us and which asks for a picture of ours when it is shown. Only `href` of `<a>` that are http or https
 * are touched, and neither what is commented out nor scripts and styles; all else stays byte for byte. Takes time in proportion to
 * its length, whatever it is.
 */
export function trackHtml(html: string, tracking: Tracking): string {
  if (!tracking.opens && !tracking.clicks) return html
  const { links, bodyEnd } = scan(html)
  const edits = tracking.clicks ? rewrite(links, tracking) : []
  if (tracking.opens) edits.push(...pixel(bodyEnd, tracking))
  return apply(html, edits)
}

/** Where an `href` stands, quotes included, and what it says. */
interface Href {
  start: number
  end: number
  value: string
}

/** The first `href` of each `<a>`, and where the last `</body>` begins, or the text ends. */
function scan(html: string): { links: Href[]; bodyEnd: number } {
  const links: Href[] = []
  let bodyEnd = html.length
  let href: Href | undefined
  let inAnchor = false
  let name = { start: 0, end: 0 }
  let value = ''
  const is = (start: number, end: number, what: string) =>
    end - start === what.length && html.slice(start, end).toLowerCase() === what
  const endTag = () => {
    if (inAnchor && href) links.push(href)
    inAnchor = false
  }
  const nothing = () => undefined
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
        // HTML §13.2.5.33: of attributes with the same name the first one counts.
        if (!inAnchor || href || quote === QuoteType.NoValue || !is(name.start, name.end, 'href'))
          return
        href = { start: startOfValue(html, name.end), end, value }
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag(start, end) {
        if (is(start, end, 'body')) bodyEnd = start - '</'.length
      },
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onprocessinginstruction: nothing,
      ontext: nothing,
      ontextentity: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return { links, bodyEnd }
}

/** Of the value whose attribute's name ends here: at its quote, if it has one. */
function startOfValue(html: string, nameEnd: number): number {
  const sign = /\s*=\s*/y
  sign.lastIndex = nameEnd
  sign.test(html)
  return sign.lastIndex
}

function rewrite(links: readonly Href[], tracking: Tracking): Edit[] {
  return links.slice(0, maxLinks).flatMap(({ start, end, value }) => {
    const link = clickLink(value, tracking)
    return link === undefined ? [] : [{ start, end, text: `"${escape(link)}"` }]
  })
}

/** Undefined for what stays as it is. */
function clickLink(
  value: string,
  { baseUrl, key, account, messageId }: Tracking,
): string | undefined {
  // URL standard §4.4: white space around an address and line breaks in it are not part of it.
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
