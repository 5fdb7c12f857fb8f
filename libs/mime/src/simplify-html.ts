import { nameInPlace, type OpenElement, remainingDepth } from './html-structure.ts'
import { type HtmlTags, readTags } from './read-tags.ts'

/** HTML elements and attributes that a reader of HTML needs. */
export interface HtmlRules {
  elements: ReadonlySet<string>
  attributes: ReadonlySet<string>
  /**
   * Maximum nesting of quotes and lists in the HTML. Each level of nesting costs the text converter
   * one pass.
   */
  maxIndents: number
  /** Maximum characters of the HTML before and after the rewrite; the rest of the HTML is cut. */
  maxLength: number
  /** True for an HTML element that the reader may replace by nested elements. */
  isExpanded?: (name: string, attributes: ReadonlyMap<string, string>) => boolean
}

/** Well-formed HTML that `simplifyHtml` has rewritten. */
export interface SimpleHtml {
  html: string
  /** False if the HTML exceeds the work limit, where `html` ends. */
  isComplete: boolean
}

/**
 * Maximum nesting of HTML elements. Deeper tags are removed, their text stays. Below the limits of
 * the sanitiser and the text converter.
 */
const maxDepth = 190
/** Maximum length of an HTML attribute. Longer attributes are removed, except embedded images. */
const maxValue = 8_192
/**
 * Maximum number of tags, attributes and escaped characters of the HTML in all. Each takes 1 to 2
 * µs of the sanitiser or the converter, so they take 50 ms at most.
 */
const maxUnits = 30_000
/**
 * Additional units and characters of an HTML element that the reader replaces by nested elements.
 */
const expansion = { units: 4, length: 120 }
/** Attributes that the reader of HTML adds to links, and their length. */
const linkAttributes = ['target', 'rel']
const linkLength = 60

/** HTML elements without an end tag. */
const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
/**
 * HTML elements that are removed with their content. For elements with raw content see `readTags`.
 */
const hiddenElements = new Set(['math', 'object', 'option', 'svg', 'template'])
const foreignElements = new Set(['math', 'svg'])
const indentingElements = new Set(['blockquote', 'dl', 'ol', 'ul'])

/**
 * Growth of a character of HTML when the reader escapes it. An `&` may already be part of an
 * entity.
 */
const growths: Record<string, number> = { '&': 4, '<': 3, '>': 3, '"': 5 }
const escaped = /&(?:amp|gt|lt|quot);/y
/** Length of the longest HTML entity that an escaped character becomes. */
const maxEscaped = 6

/**
 * Rewrites HTML as well-formed HTML with the given elements and attributes only. Browsers close no
 * element around the result. Counts work and length so that a second run never exceeds a limit that
 * the first run kept. Linear in time. The result is as untrusted as the input.
 */
export function simplifyHtml(html: string, rules: HtmlRules): SimpleHtml {
  const simplifier = new Simplifier(rules)
  readTags(html.slice(0, rules.maxLength), simplifier)
  return simplifier.finish()
}

class Simplifier implements HtmlTags {
  readonly #rules: HtmlRules
  readonly #pieces: string[] = []
  readonly #open: OpenElement[] = []
  /** Outermost open HTML element whose content is removed. */
  #hidden: string | undefined
  /** Numbers of open HTML elements inside the hidden element, itself included. */
  readonly #inside = new Map<string, number>()
  #indents = 0
  #units = 0
  /** Maximum length of the rest of the resulting HTML, after escaping. */
  #freeLength: number
  #isCut = false

  constructor(rules: HtmlRules) {
    this.#rules = rules
    this.#freeLength = rules.maxLength
  }

  finish(): SimpleHtml {
    this.#closeDownTo(0)
    return { html: this.#pieces.join(''), isComplete: this.#units <= maxUnits }
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
    this.#units++ // counts the end tag
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

  /** True if an end tag inside a hidden HTML element ends an element around it. */
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

  /** Writes an HTML start tag, unless the name is empty. False beyond a limit. */
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

  /** Counts an HTML attribute. False if the attribute is too long. */
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

  /** Counts a text of the HTML. Returns the end of the part of the text within the limits. */
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

/** Growth of the HTML character at a position when the reader escapes the character. */
function growthAt(text: string, at: number): number {
  escaped.lastIndex = at
  return escaped.test(text) ? 0 : (growths[text[at] ?? ''] ?? 0)
}
