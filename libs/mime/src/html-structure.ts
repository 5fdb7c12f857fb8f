/** HTML element that a reader of HTML has opened and not yet closed. */
export interface OpenElement {
  name: string
  /**
   * Name of the element in the resulting HTML. Empty for an element of which only the content is
   * kept.
   */
  written: string
}

const words = (list: string) => list.trim().split(/\s+/)

const rowGroups = ['tbody', 'tfoot', 'thead']
const cells = ['td', 'th']
const headings = words('h1 h2 h3 h4 h5 h6')
const blocks = words(`
  address blockquote center details div dl fieldset figcaption figure footer form header hr main
  ol p pre section summary table ul
`)
/**
 * Open HTML elements that a start tag ends if they are innermost (HTML Living Standard §13.1.2.4).
 */
const endedBy = new Map<string, readonly string[]>([
  ...blocks.map((name) => [name, ['p']] as const),
  ...headings.map((name) => [name, ['p', ...headings]] as const),
  ['tr', ['p', ...cells, 'tr']],
  ['li', ['p', 'li']],
  ['dt', ['p', 'dt', 'dd']],
  ['dd', ['p', 'dt', 'dd']],
])

/** Open HTML elements that a start tag ends at any depth, up to one of `until`. */
interface DeepEnd {
  ended: readonly string[]
  until: ReadonlySet<string>
}

const cellLike = new Set([...cells, 'caption'])
/**
 * HTML elements that end the search for a list entry: special elements except `address`, `div` and
 * `p`.
 */
const listBounds = new Set([
  ...blocks.filter((name) => name !== 'address' && name !== 'div' && name !== 'p'),
  ...headings,
  ...cellLike,
  ...rowGroups,
  'tr',
  'colgroup',
])
/**
 * HTML elements that a start tag ends even if they are not innermost (HTML Living Standard
 * §13.2.6.4.7 and §13.2.6.4.9).
 */
const deepEnds = new Map<string, DeepEnd>([
  ['a', { ended: ['a'], until: cellLike }],
  ['dd', { ended: ['dd', 'dt'], until: new Set([...listBounds, 'li']) }],
  ['dt', { ended: ['dd', 'dt'], until: new Set([...listBounds, 'li']) }],
  ['li', { ended: ['li'], until: new Set([...listBounds, 'dd', 'dt']) }],
  ['table', { ended: ['table'], until: cellLike }],
])

/**
 * Open HTML elements whose content a part of a table ends (HTML Living Standard §13.2.6.4.9 to
 * 15).
 */
const tableContexts = new Map<string, readonly string[]>([
  ...['caption', 'colgroup', ...rowGroups].map((name) => [name, ['table']] as const),
  ['col', ['table', 'colgroup']],
  ['tr', ['table', ...rowGroups]],
  ...cells.map((name) => [name, ['table', ...rowGroups, 'tr']] as const),
])

/**
 * Number of open HTML elements that stay open at a start tag. Ends at least each element that a
 * browser ends at the tag and whose end tag would otherwise end elements around the message.
 */
export function remainingDepth(open: readonly OpenElement[], name: string): number {
  const contexts = tableContexts.get(name)
  const context = contexts ? open.findLastIndex((one) => contexts.includes(one.name)) : -1
  if (context !== -1) return context + 1
  const deep = deepEnds.get(name)
  const depth = deep ? deepDepth(open, deep) : open.length
  return innermostDepth(open, depth, endedBy.get(name) ?? [])
}

function deepDepth(open: readonly OpenElement[], { ended, until }: DeepEnd): number {
  for (let at = open.length - 1; at >= 0; at--) {
    const { name = '', written = '' } = open[at] ?? {}
    if (ended.includes(name)) return at
    if (until.has(written)) break
  }
  return open.length
}

function innermostDepth(
  open: readonly OpenElement[],
  depth: number,
  ended: readonly string[],
): number {
  let kept = depth
  for (let at = depth - 1; at >= 0; at--) {
    const { name = '', written = '' } = open[at] ?? {}
    if (ended.includes(name)) kept = at
    else if (written !== '') break
  }
  return kept
}

/** Parent elements without which a browser applies a start tag to elements around the message. */
const parents = new Map<string, readonly string[]>([
  ...words('caption col colgroup tbody td tfoot th thead tr').map(
    (name) => [name, ['table']] as const,
  ),
  ['li', ['ol', 'ul']],
  ['dd', ['dl']],
  ['dt', ['dl']],
])
/** Table and list elements without their parent that keep their own line. */
const lines = new Set(['dd', 'dt', 'li', 'tr'])

/**
 * Name of an HTML element in this place: without the parent that the element needs, `div` or none.
 */
export function nameInPlace(open: readonly OpenElement[], name: string): string {
  const needed = parents.get(name)
  if (!needed || open.some((element) => needed.includes(element.name))) return name
  return lines.has(name) ? 'div' : ''
}
