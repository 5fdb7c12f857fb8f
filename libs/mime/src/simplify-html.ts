import { type HtmlTags, readTags } from './read-tags.ts'

/** Elements and attributes that a reader of HTML needs. */
export interface HtmlRules {
  elements: ReadonlySet<string>
  attributes: ReadonlySet<string>
  /** Nesting limit of quotes and lists. Each level costs the text converter one pass. */
  maxIndents: number
  /** Processed characters; the rest is cut. */
  maxLength: number
}

/** Nesting limit. Deeper tags are removed, their text stays. Below the limits of both libraries. */
const maxDepth = 190
/** Length limit of an attribute. Longer ones are removed, except embedded images. */
const maxValue = 8_192
/**
 * Limit of tags, attributes and entities in all. Each takes 1 to 2 µs of the sanitiser or the
 * converter, so they take 50 ms at most.
 */
const maxUnits = 30_000

/** Elements without an end tag. */
const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
/** Elements that are removed with their content. Those with raw content: see `readTags`. */
const hiddenElements = new Set(['math', 'object', 'option', 'svg', 'template'])
const foreignElements = new Set(['math', 'svg'])
const indentingElements = new Set(['blockquote', 'dl', 'ol', 'ul'])

const rowGroups = ['tbody', 'tfoot', 'thead']
const cells = ['td', 'th']
const blocks =
  'address blockquote center div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main ol p pre section table ul'
/** Open elements that a start tag ends if they are innermost (HTML Living Standard §13.1.2.4). */
const endedBy = new Map<string, readonly string[]>([
  ...blocks.split(' ').map((name) => [name, ['p']] as const),
  ...cells.map((name) => [name, ['p', ...cells]] as const),
  ...rowGroups.map((name) => [name, ['p', ...cells, 'tr', ...rowGroups]] as const),
  ['tr', ['p', ...cells, 'tr']],
  ['li', ['p', 'li']],
  ['dt', ['p', 'dt', 'dd']],
  ['dd', ['p', 'dt', 'dd']],
])

/**
 * Rewrites HTML as well-formed HTML with the given elements and attributes only. Undefined if it
 * exceeds the work limit. Linear in time. The result is as untrusted as the input.
 */
export function simplifyHtml(html: string, rules: HtmlRules): string | undefined {
  const simplifier = new Simplifier(rules)
  readTags(html.slice(0, rules.maxLength), simplifier)
  return simplifier.finish()
}

class Simplifier implements HtmlTags {
  readonly #rules: HtmlRules
  readonly #pieces: string[] = []
  readonly #open: string[] = []
  /** Outermost open element whose content is removed. */
  #hidden: string | undefined
  /** Numbers of open elements inside the hidden one, itself included. */
  readonly #inside = new Map<string, number>()
  #indents = 0
  #units = 0

  constructor(rules: HtmlRules) {
    this.#rules = rules
  }

  /** Complete HTML; undefined beyond the work limit. */
  finish(): string | undefined {
    this.#closeDownTo(0)
    return this.isFull ? undefined : this.#pieces.join('')
  }

  get isFull(): boolean {
    return this.#units > maxUnits
  }

  onText(text: string): void {
    this.#count(text, '&')
    this.#count(text, '<')
    if (this.#hidden !== undefined || this.isFull) return
    this.#pieces.push(text.replaceAll('<', '&lt;'))
  }

  onAttribute(): void {
    this.#units++
  }

  onStartTag(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean): void {
    this.#units++
    if (this.#hidden !== undefined) {
      if (!isSelfClosing && !voidElements.has(name)) this.#countInside(name)
      return
    }
    this.#endImplied(name)
    if (hiddenElements.has(name)) {
      if (!isSelfClosing || !foreignElements.has(name)) this.#hide(name)
    } else if (voidElements.has(name)) this.#write(name, attributes)
    else if (this.#canNest(name)) {
      this.#open.push(name)
      if (indentingElements.has(name)) this.#indents++
      this.#write(name, attributes)
    }
  }

  onEndTag(name: string): void {
    this.#units++
    const at = this.#open.lastIndexOf(name)
    if (this.#hidden !== undefined && !this.#endsHidden(name, at !== -1)) return
    if (at !== -1) this.#closeDownTo(at)
  }

  #hide(name: string): void {
    this.#hidden = name
    this.#inside.clear()
    this.#countInside(name)
  }

  #countInside(name: string): void {
    this.#inside.set(name, (this.#inside.get(name) ?? 0) + 1)
  }

  /** True if an end tag inside a hidden element ends an element around it. */
  #endsHidden(name: string, isOpen: boolean): boolean {
    const count = this.#inside.get(name) ?? 0
    if (count > 0) this.#inside.set(name, count - 1)
    const isAround = count === 0 && isOpen
    if (isAround || (count === 1 && name === this.#hidden)) this.#hidden = undefined
    return isAround
  }

  #canNest(name: string): boolean {
    const fits = !indentingElements.has(name) || this.#indents < this.#rules.maxIndents
    return fits && this.#open.length < maxDepth
  }

  #endImplied(name: string): void {
    const ended = endedBy.get(name)
    while (ended?.includes(this.#open.at(-1) ?? '')) this.#closeDownTo(this.#open.length - 1)
    const link = name === 'a' ? this.#open.lastIndexOf('a') : -1
    if (link !== -1) this.#closeDownTo(link)
  }

  #closeDownTo(depth: number): void {
    while (this.#open.length > depth) {
      const name = this.#open.pop() ?? ''
      if (indentingElements.has(name)) this.#indents--
      if (this.#rules.elements.has(name)) this.#pieces.push(`</${name}>`)
    }
  }

  #write(name: string, attributes: ReadonlyMap<string, string>): void {
    if (!this.#rules.elements.has(name)) return
    this.#pieces.push(`<${name}`)
    for (const [key, value] of attributes) {
      if (!this.#rules.attributes.has(key) || !isReasonable(value)) continue
      this.#count(value, '&')
      this.#pieces.push(` ${key}="${value.replaceAll('"', '&quot;')}"`)
    }
    this.#pieces.push('>')
  }

  #count(text: string, mark: '&' | '<'): void {
    for (let at = text.indexOf(mark); at !== -1 && !this.isFull; at = text.indexOf(mark, at + 1))
      this.#units++
  }
}

function isReasonable(value: string): boolean {
  return value.length <= maxValue || (/^data:image\//i.test(value) && !value.includes('&'))
}
