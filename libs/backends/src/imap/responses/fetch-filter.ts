import { char, isDigit } from './characters.ts'
import {
  commandTokens,
  fetchLimits,
  itemOf,
  type LimitedItem,
  responseError,
  tokensBeyondCommand,
  truncationMarks,
} from './limits.ts'
import type { Output } from './output.ts'
import { ContentName, type RequestedBytes } from './requested-bytes.ts'

/** Mark of a FETCH response with omissions. imapflow reads the mark as a part without content. */
const markOf = (item: LimitedItem) => ` BODY[${truncationMarks[item].toUpperCase()}] NIL`

interface List {
  /** Number of elements of the list in a FETCH response so far, including omitted elements. */
  elements: number
  /** True if a list in a FETCH response has only lists as elements, as a multipart has. */
  hasOnlyLists: boolean
  /** Number of atoms and strings of a list that were kept after a FETCH limit was reached. */
  trailing: number
}

type State = 'between' | 'atom' | 'quoted' | 'tail'

/**
 * Literal in an IMAP response: number of bytes that follow, and how many of these bytes are kept.
 */
export interface Literal {
  length: number
  kept: number
}

/**
 * Limits one FETCH response while it arrives. Keeps the first elements of each list. Later elements
 * are left out, or become NIL if their position has a meaning. Long strings are cut. The response
 * stays valid and gets a mark, so that the message is known to be incomplete.
 */
export class FetchFilter {
  /** Number of tokens that were kept of this FETCH response. */
  tokens = 0
  readonly #out: Output
  readonly #requested: RequestedBytes
  readonly #budget: number
  readonly #lists: List[] = [newList()]
  #state: State = 'between'
  #isEscaped = false
  readonly #cuts = new Set<LimitedItem>()
  /** First letter of the current data item of the FETCH response. */
  #item = 0
  readonly #name = new ContentName()
  /** Nesting depth in a list that is left out of the FETCH response; 0 outside of such a list. */
  #skipped = 0
  /** True while a string or an atom of the FETCH response is left out. */
  #isLeftOut = false
  #swallowsSpace = false
  #textLeft = 0
  #itemTokens = 0
  #itemText = 0
  #content = 0
  /** Possible marker of a literal in the FETCH response, such as `{12}`, that has not ended. */
  #marker: string | undefined

  /** `tokensBefore` is the number of tokens in earlier responses to the same FETCH command. */
  constructor(out: Output, requested: RequestedBytes, tokensBefore: number) {
    this.#out = out
    this.#requested = requested
    this.#budget = tokensBefore > commandTokens ? tokensBeyondCommand : fetchLimits.tokens
  }

  /** Processes a byte of a FETCH response after the opening parenthesis of its data items. */
  read(byte: number, at: number): void {
    if (this.#marker !== undefined && this.#continueMarker(byte, at)) return
    if (this.#state === 'quoted') this.#quoted(byte, at)
    else if (this.#state === 'atom') this.#atom(byte, at)
    else if (this.#state === 'between') this.#between(byte, at)
  }

  /** Decides how many bytes of a literal to keep. `at` is its offset in the FETCH response. */
  literal(length: number, at: number): Literal {
    if (this.#skipped > 0) return { length, kept: 0 }
    if (this.#marker === undefined)
      throw responseError('InvalidResponse', 'The mail server sent an invalid FETCH response')
    this.#marker = undefined
    this.#state = 'between'
    this.#swallowsSpace = !this.#startText()
    if (length > (this.#lists.length > 1 ? fetchLimits.literal : this.#requested.each))
      throw responseError('LiteralTooLarge', 'The mail server sent more than requested')
    if (this.#swallowsSpace) return { length, kept: 0 }
    const kept = Math.min(length, this.#textLeft)
    this.#countText(kept)
    if (kept < length) this.#cutText()
    this.#out.insert(at, `{${kept}}\r\n`)
    return { length, kept }
  }

  /** Ends the FETCH response at a line feed, even if lists or strings are still open. */
  end(at: number): void {
    if (this.#marker !== undefined) this.#releaseMarker(at)
    this.#out.keep(at)
    // Inserts a space, because a cut line of the IMAP response could end with a literal marker.
    if (this.#cuts.size > 0 && this.#state !== 'tail') this.#out.insert(at, ' ')
  }

  #between(byte: number, at: number): void {
    if (this.#skipped > 0) return this.#skip(byte)
    if (byte === char.space || byte === char.cr) {
      if (!this.#swallowsSpace) this.#out.keep(at)
    } else if (byte === char.open) this.#open(at)
    else if (byte === char.close) this.#close(at)
    else if (byte === char.openBrace) this.#startMarker(at)
    else this.#startScalar(byte, at)
  }

  #startScalar(byte: number, at: number): void {
    if (this.#lists.length === 1) this.#item = byte
    // The limit of a body section is for its content, so the name of the next section in the FETCH
    // response begins first.
    if (byte !== char.quote && this.#lists.length === 1) this.#name.start(byte)
    this.#isLeftOut = !this.#startText()
    if (this.#isLeftOut) this.#out.drop(at)
    else this.#out.keep(at)
    this.#swallowsSpace = this.#isLeftOut
    this.#state = byte === char.quote ? 'quoted' : 'atom'
    this.#isEscaped = false
  }

  #quoted(byte: number, at: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === char.quote) {
      if (!this.#isLeftOut) this.#out.keep(at)
      this.#state = 'between'
      return
    } else {
      if (this.#skipped === 0 && this.#textLeft <= 0) this.#cutText(at)
      this.#isEscaped = byte === char.backslash
    }
    this.#countText(1)
  }

  #atom(byte: number, at: number): void {
    if (isDelimiter(byte)) {
      this.#state = 'between'
      if (!this.#isLeftOut) this.#out.keep(at)
      this.#between(byte, at)
      return
    }
    // Counts the section and partial range of a FETCH item as separate tokens, as imapflow does.
    if (byte === char.openBracket || byte === char.less) this.#countToken()
    if (this.#lists.length === 1) this.#name.add(byte)
    if (this.#textLeft <= 0) this.#cutText(at)
    this.#countText(1)
  }

  #open(at: number): void {
    const depth = this.#lists.length
    const parent = this.#lists.at(-1) ?? newList()
    const isFirstOfLists = parent.hasOnlyLists && parent.elements === 0
    parent.elements++
    if (depth === 1) this.#startItem()
    const isWithin = !this.#isExhausted() || isFirstOfLists
    if (depth === 1 || (isWithin && depth < fetchLimits.depth)) {
      this.#out.keep(at)
      this.#swallowsSpace = false
      this.#countToken()
      this.#lists.push(newList())
      return
    }
    this.#cut()
    this.#out.drop(at)
    this.#skipped = 1
    this.#swallowsSpace = parent.hasOnlyLists
    if (!parent.hasOnlyLists) this.#out.insert(at, 'NIL')
  }

  #close(at: number): void {
    this.#out.keep(at)
    this.#swallowsSpace = false
    this.#lists.pop()
    if (this.#lists.length > 0) return
    for (const item of this.#cuts) this.#out.insert(at, markOf(item))
    this.#state = 'tail'
  }

  /** Processes a byte between the tokens of a list that is left out of the FETCH response. */
  #skip(byte: number): void {
    if (byte === char.open) this.#skipped++
    else if (byte === char.close) this.#skipped--
    else if (byte === char.quote) {
      this.#isLeftOut = true
      this.#state = 'quoted'
    }
  }

  /**
   * Counts an atom or a string as an element of its list in the FETCH response. False if the filter
   * leaves the atom or string out.
   */
  #startText(): boolean {
    const list = this.#lists.at(-1) ?? newList()
    list.elements++
    list.hasOnlyLists = false
    const isContent = this.#lists.length === 1
    if (isContent && list.elements > fetchLimits.items)
      throw responseError('TooManyTokens', 'The mail server sent too many items in one response')
    const isTrailing = !isContent && this.#isExhausted()
    if (isTrailing && ++list.trailing > fetchLimits.trailing) {
      this.#textLeft = 0
      this.#cut()
      return false
    }
    // Tokens that are left out do not use up the limit for later data items of the FETCH response.
    this.#countToken()
    this.#textLeft = isContent
      ? this.#name.keptBytes(this.#requested)
      : isTrailing
        ? fetchLimits.trailingText
        : fetchLimits.text
    return true
  }

  /** Records that content of the current data item was left out of the FETCH response. */
  #cut(): void {
    this.#cuts.add(itemOf(this.#item))
  }

  #startItem(): void {
    const left = Math.max(0, this.#budget - this.tokens)
    this.#itemTokens = Math.min(fetchLimits.itemTokens, left)
    this.#itemText = fetchLimits.itemText
  }

  #isExhausted(): boolean {
    return this.#itemTokens <= 0 || this.#itemText <= 0
  }

  #countToken(): void {
    this.tokens++
    this.#itemTokens--
  }

  #countText(bytes: number): void {
    this.#textLeft -= bytes
    if (this.#lists.length > 1) this.#itemText -= bytes
    else if ((this.#content += bytes) > this.#requested.total)
      throw responseError('ResponseTooLarge', 'The mail server sent more than requested')
  }

  /** Cuts a text of a FETCH response. Message content of the requested length is not cut. */
  #cutText(at?: number): void {
    if (this.#lists.length > 1 && !this.#isLeftOut) this.#cut()
    if (at !== undefined) this.#out.drop(at)
  }

  #startMarker(at: number): void {
    this.#out.drop(at)
    this.#marker = '{'
    this.#state = 'between'
  }

  /** Takes a byte of the marker of a literal in the FETCH response. False for any other byte. */
  #continueMarker(byte: number, at: number): boolean {
    const isPart = isDigit(byte) || byte === char.closeBrace || byte === char.cr || byte === char.lf
    if (isPart && (this.#marker?.length ?? 0) < 32) {
      this.#marker += String.fromCharCode(byte)
      return true
    }
    this.#releaseMarker(at)
    return false
  }

  /** Keeps text of the FETCH response that began like the marker of a literal but is none. */
  #releaseMarker(at: number): void {
    this.#out.insert(at, this.#marker ?? '')
    this.#marker = undefined
    this.#startScalar(char.zero, at)
  }
}

function newList(): List {
  return { elements: 0, hasOnlyLists: true, trailing: 0 }
}

function isDelimiter(byte: number): boolean {
  switch (byte) {
    case char.space:
    case char.open:
    case char.close:
    case char.quote:
    case char.openBrace:
    case char.cr:
      return true
    default:
      return false
  }
}
