const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** As many lists of messages fit their preview: without it they would go on with the start of the body. */
const padding = '&#8203;&#847;&nbsp;'.repeat(60)

/** HTML that starts with a hidden line: what lists of messages show beside the subject. */
export function addPreheader(html: string, previewText: string): string {
  const line = previewText
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '')
  if (line === '') return html
  const at = startOfBody(html)
  const hidden = `<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;color:transparent">${line}${padding}</div>`
  return html.slice(0, at) + hidden + html.slice(at)
}

/** Behind the body's tag; where there is none, behind whatever may only stand before a body. */
function startOfBody(html: string): number {
  const body = /<body(?:\s[^<>]{0,10000})?>/i.exec(html)
  if (body) return body.index + body[0].length
  const head = html.search(/<\/head\s{0,10}>/i)
  if (head !== -1) return html.indexOf('>', head) + 1
  return (
    /^\s{0,1000}(?:<!doctype[^<>]{0,1000}>)?\s{0,1000}(?:<html(?:\s[^<>]{0,1000})?>)?/i.exec(
      html,
    )?.[0].length ?? 0
  )
}
