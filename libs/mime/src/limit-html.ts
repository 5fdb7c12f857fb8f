/** Characters of an HTML body that are looked at; the rest is cut. */
const maxLength = 2 * 1024 * 1024
/** Elements inside each other. Parsers keep them in a list whose cost grows with its square. */
const maxDepth = 10_000
const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** HTML that a parser is done with in time: cut where it is too long, and without its tags where they nest beyond reason. */
export function limitHtml(html: string): string {
  const short = html.length > maxLength ? html.slice(0, maxLength) : html
  return nestsTooDeep(short) ? short.replace(/<[^<>]*>/g, ' ').replaceAll('<', '&lt;') : short
}

/** Counts more than a parser would, never less: elements that end by themselves go on counting. */
function nestsTooDeep(html: string): boolean {
  let depth = 0
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,15})/gi)) {
    if (slash) depth = Math.max(0, depth - 1)
    else if (!voidElements.has(name.toLowerCase()) && ++depth > maxDepth) return true
  }
  return false
}
