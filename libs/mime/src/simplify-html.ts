import { nameInPlace, type OpenElement, remainingDepth } from './html-structure.ts'
import { type HtmlTags, readTags } from './read-tags.ts'

/**
 * Rules for rewriting HTML for a reader (sanitiser or text converter): the elements and attributes
 * that the reader needs, and its limits.
 */
export interface HtmlRules {
  elements: ReadonlySet<string>
  attributes: ReadonlySet<string>
  /**
   * Maximum nesting of quotes and lists in the HTML. The converter from HTML to text needs one pass
   * for each level.
   */
  maxIndents: number
  /**
   * Maximum number of characters of a message's HTML before and after rewriting. The rest of the
   * HTML is cut off.
   */
  maxLength: number
  /**
   * Returns true for an HTML element that the sanitiser or text converter may replace by several
   * nested elements.
   */
  isExpanded?: (name: string, attributes: ReadonlyMap<string, string>) => boolean
}

/** Well-formed HTML as returned by `simplifyHtml`. */
export interface SimpleHtml {
  html: string
  /**
   * False if rewriting the HTML needs more work than allowed. The resulting `html` then ends where
   * the limit was reached.
   */
  isComplete: boolean
  /** True if the end of the HTML was left out, because the HTML is too long. */
  isCut: boolean
}

/**
 * Maximum nesting of HTML elements. The tags of deeper elements are removed and their text is kept.
 * Lower than the limits of the sanitiser and the text converter.
 */
const maxDepth = 190
/**
 * Maximum length of an HTML attribute. Longer attributes are removed, except attributes with
 * embedded images.
 */
const maxValue = 8_192
/**
 * Maximum number of tags, attributes and escaped characters in the HTML together. The sanitiser or
 * text converter needs 1 to 2 µs for each, so at most 50 ms for all.
 */
const maxUnits = 30_000
/**
 * Units of work and characters that are counted additionally for an HTML element that the sanitiser
 * or text converter may replace by nested elements.
 */
const expansion = { units: 4, length: 120 }
/**
 * HTML attributes that the sanitiser adds to links. `linkLength` is the length of these attributes.
 */
const linkAttributes = ['target', 'rel']
const linkLength = 60

/** Names of HTML elements that have no end tag. */
const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
/**
 * Names of HTML elements that are removed together with their content. See `readTags` for elements
 * whose content is not HTML.
 */
const hiddenElements = new Set(['math', 'object', 'option', 'svg', 'template'])
const foreignElements = new Set(['math', 'svg'])
const indentingElements = new Set(['blockquote', 'dl', 'ol', 'ul'])

/**
 * Number of additional characters when the sanitiser or text converter escapes a character of the
 * HTML. An `&` may also be the start of an entity, which is not escaped.
 */
const growths: Record<string, number> = { '&': 4, '<': 3, '>': 3, '"': 5 }
const escaped = /&(?:amp|gt|lt|quot);/y
/** Length of the longest HTML entity that results from escaping a character. */
const maxEscaped = 6

/**
 * Rewrites HTML as well-formed HTML that contains only the given elements and attributes. When a
 * browser shows the result, the result cannot close an element around it. Work and length are
 * counted in such a way that rewriting the result again exceeds no limit. Takes linear time. The
 * result is as untrusted as the input.
 */
export function simplifyHtml(html: string, rules: HtmlRules): SimpleHtml {
  const simplifier = new Simplifier(rules)
  readTags(html.slice(0, rules.maxLength), simplifier)
  const { isCut, ...simple } = simplifier.finish()
  return { ...simple, isCut: isCut || html.length > rules.maxLength }
}

class Simplifier implements HtmlTags {
  readonly #rules: HtmlRules
  readonly #pieces: string[] = []
  readonly #open: OpenElement[] = []
  /** Name of the outermost open HTML element whose content is being removed. */
  #hidden: string | undefined
  /**
   * While the content of an HTML element is being removed: number of open elements by name,
   * including the removed element itself and all elements inside it.
   */
  readonly #inside = new Map<string, number>()
  #indents = 0
  #units = 0
  /** Number of characters by which the rewritten HTML may still grow, after escaping. */
  #freeLength: number
  #isCut = false

  constructor(rules: HtmlRules) {
    this.#rules = rules
    this.#freeLength = rules.maxLength
  }

  finish(): SimpleHtml {
    this.#closeDownTo(0)
    const isComplete = this.#units <= maxUnits
    return { html: this.#pieces.join(''), isComplete, isCut: this.#isCut }
  }

  get isFull(): boolean {
    return this.#isCut || this.#units > maxUnits
  }

  onText(text: string): void {
    const end = this.#countText(text)
    if (this.#hidden === undefined) this.#pieces.push(text.slice(0, end).replaceAll('<', '&lt;'))
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
    if (hiddenElements.has(name)) {
      if (!isSelfClosing || !foreignElements.has(name)) this.#hide(name)
      return
    }
    this.#closeDownTo(remainingDepth(this.#open, name))
    const inPlace = nameInPlace(this.#open, name)
    const written = this.#rules.elements.has(inPlace) ? inPlace : ''
    if (voidElements.has(name)) this.#write(written, attributes)
    else this.#openElement({ name, written }, attributes)
  }

  onEndTag(name: string): void {
    const at = this.#open.findLastIndex((element) => element.name === name)
    if (this.#hidden !== undefined || at === -1) this.#units++
    if (this.#hidden !== undefined && !this.#endsHidden(name, at !== -1)) return
    if (at !== -1) this.#closeDownTo(at)
  }

  #openElement(element: OpenElement, attributes: ReadonlyMap<string, string>): void {
    const isExpanded = this.#rules.isExpanded?.(element.name, attributes) ?? false
    if (!this.#canNest(element.name, isExpanded ? 2 : 1)) return
    this.#units++ // counts the end tag of the HTML element
    if (isExpanded) {
      this.#units += expansion.units
      this.#freeLength -= expansion.length
    }
    if (!this.#write(element.written, attributes)) return
    this.#open.push(element)
    if (isExpanded) this.#open.push({ name: '', written: '' })
    if (indentingElements.has(element.name)) this.#indents++
  }

  #hide(name: string): void {
    this.#hidden = name
    this.#inside.clear()
    this.#countInside(name)
  }

  #countInside(name: string): void {
    this.#inside.set(name, (this.#inside.get(name) ?? 0) + 1)
  }

  /**
   * True if an end tag inside an HTML element that is being removed closes an element around the
   * removed element.
   */
  #endsHidden(name: string, isOpen: boolean): boolean {
    const count = this.#inside.get(name) ?? 0
    if (count > 0) this.#inside.set(name, count - 1)
    const isAround = count === 0 && isOpen
    if (isAround || (count === 1 && name === this.#hidden)) this.#hidden = undefined
    return isAround
  }

  #canNest(name: string, levels: number): boolean {
    const fits = !indentingElements.has(name) || this.#indents < this.#rules.maxIndents
    return fits && this.#open.length + levels <= maxDepth
  }

  #closeDownTo(depth: number): void {
    while (this.#open.length > depth) {
      const { name = '', written = '' } = this.#open.pop() ?? {}
      if (indentingElements.has(name)) this.#indents--
      if (written !== '') this.#pieces.push(`</${written}>`)
    }
  }

  /**
   * Writes a start tag to the rewritten HTML, unless the name is empty. Returns false if a limit of
   * the rewritten HTML is exceeded.
   */
  #write(name: string, attributes: ReadonlyMap<string, string>): boolean {
    if (name === '') return !this.isFull
    const added = name === 'a' ? linkAttributes : []
    this.#units += added.filter((key) => !attributes.has(key)).length
    if (name === 'a') this.#freeLength -= linkLength
    this.#freeLength -= 2 * name.length + '<></>'.length
    if (this.#freeLength < 0) this.#isCut = true
    if (this.isFull) return false
    this.#pieces.push(`<${name}`)
    for (const [key, value] of attributes) {
      if (!this.#rules.attributes.has(key) || added.includes(key)) continue
      if (this.#fitsAttribute(key, value))
        this.#pieces.push(` ${key}="${value.replaceAll('"', '&quot;')}"`)
    }
    this.#pieces.push('>')
    return true
  }

  /**
   * Counts an HTML attribute towards the limits of the rewritten HTML. Returns false if the
   * attribute is too long.
   */
  #fitsAttribute(key: string, value: string): boolean {
    const isImage = /^data:image\//i.test(value) && !/[&<>"]/.test(value)
    if (value.length > maxValue && !isImage) return false
    let { length } = value
    let units = 0
    for (const { index } of value.matchAll(/[&<>"]/g)) {
      length += growthAt(value, index)
      units++
    }
    const total = length + key.length + ' =""'.length
    if ((length > maxValue && !isImage) || total > this.#freeLength) return false
    this.#units += units
    this.#freeLength -= total
    return true
  }

  /**
   * Counts a text towards the limits of the rewritten HTML. Returns the position at which the text
   * exceeds a limit, or the end of the text.
   */
  #countText(text: string): number {
    let free = this.#hidden === undefined ? this.#freeLength : Number.POSITIVE_INFINITY
    for (const { index } of text.matchAll(/[&<>]/g)) {
      const growth = growthAt(text, index)
      if (index + growth + maxEscaped > free) return this.#cutText(Math.min(index, free))
      this.#units++
      if (this.isFull) return index
      free -= growth
    }
    if (text.length > free) return this.#cutText(free)
    if (this.#hidden === undefined) this.#freeLength = free - text.length
    return text.length
  }

  #cutText(end: number): number {
    this.#isCut = true
    return end
  }
}

/**
 * Number of additional characters when the sanitiser or text converter escapes the HTML character
 * at a position.
 */
function growthAt(text: string, at: number): number {
  escaped.lastIndex = at
  return escaped.test(text) ? 0 : (growths[text[at] ?? ''] ?? 0)
}
