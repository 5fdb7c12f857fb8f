/** HTML element whose start tag was read and whose end tag has not been read yet. */
export interface OpenElement {
  name: string
  /**
   * Name of the HTML element in the resulting HTML. Empty if only the content of the element is
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
 * For each start tag, the open HTML elements that the start tag closes if they are innermost (HTML
 * Living Standard §13.1.2.4).
 */
const endedBy = new Map<string, readonly string[]>([
  ...blocks.map((name) => [name, ['p']] as const),
  ...headings.map((name) => [name, ['p', ...headings]] as const),
  ['tr', ['p', ...cells, 'tr']],
  ['li', ['p', 'li']],
  ['dt', ['p', 'dt', 'dd']],
  ['dd', ['p', 'dt', 'dd']],
])

/**
 * Open HTML elements that a start tag closes at any depth. The search for such elements stops at an
 * element in `until`.
 */
interface DeepEnd {
  ended: readonly string[]
  until: ReadonlySet<string>
}

const cellLike = new Set([...cells, 'caption'])
/**
 * HTML elements at which the search for an open list entry stops: the "special" elements of the
 * HTML standard except `address`, `div` and `p`.
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
 * For each start tag, the open HTML elements that the start tag closes even if they are not
 * innermost (HTML Living Standard §13.2.6.4.7 and §13.2.6.4.9).
 */
const deepEnds = new Map<string, DeepEnd>([
  ['a', { ended: ['a'], until: cellLike }],
  ['dd', { ended: ['dd', 'dt'], until: new Set([...listBounds, 'li']) }],
  ['dt', { ended: ['dd', 'dt'], until: new Set([...listBounds, 'li']) }],
  ['li', { ended: ['li'], until: new Set([...listBounds, 'dd', 'dt']) }],
  ['table', { ended: ['table'], until: cellLike }],
])

/**
 * For each start tag of a table part, the open HTML elements that can contain the part. The start
 * tag closes all elements inside them (HTML Living Standard §13.2.6.4.9 to 15).
 */
const tableContexts = new Map<string, readonly string[]>([
  ...['caption', 'colgroup', ...rowGroups].map((name) => [name, ['table']] as const),
  ['col', ['table', 'colgroup']],
  ['tr', ['table', ...rowGroups]],
  ...cells.map((name) => [name, ['table', ...rowGroups, 'tr']] as const),
])

/**
 * Number of open HTML elements that remain open when a start tag is read. A browser closes some
 * open elements at the start tag. If such an element were left open in the resulting HTML, its end
 * tag could close elements around the message.
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

/**
 * HTML elements that need a certain parent element, with the names of possible parents. If a
 * message had such an element without the parent, the tag could change the page that shows the
 * message.
 */
const parents = new Map<string, readonly string[]>([
  ...words('caption col colgroup tbody td tfoot th thead tr').map(
    (name) => [name, ['table']] as const,
  ),
  ['li', ['ol', 'ul']],
  ['dd', ['dl']],
  ['dt', ['dl']],
])
/** Table and list elements of HTML that remain on a line of their own even without their parent. */
const lines = new Set(['dd', 'dt', 'li', 'tr'])

/**
 * Name of an HTML element in the resulting HTML. If the parent that the element needs is missing,
 * the name becomes `div` or empty.
 */
export function nameInPlace(open: readonly OpenElement[], name: string): string {
  const needed = parents.get(name)
  if (!needed || open.some((element) => needed.includes(element.name))) return name
  return lines.has(name) ? 'div' : ''
}
