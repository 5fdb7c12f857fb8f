/**
 * Limits of one FETCH response. Parsing a response within these limits takes about 50 ms of CPU
 * time.
 */
export const fetchLimits = {
  /**
   * Maximum tokens of a FETCH response: atoms, strings and lists. An address has 5 tokens, a MIME
   * part about 14.
   */
  tokens: 10_000,
  /**
   * Maximum tokens of ENVELOPE or BODYSTRUCTURE in a FETCH response, so that neither of the two
   * items uses up the tokens of the other item.
   */
  itemTokens: 8_000,
  /** Maximum bytes of text in ENVELOPE or BODYSTRUCTURE of a FETCH response. */
  itemText: 128 * 1024,
  /** Maximum bytes of one string in ENVELOPE or BODYSTRUCTURE of a FETCH response. */
  text: 16 * 1024,
  /**
   * Maximum nesting of lists in a FETCH response. MIME parts nested more than 64 times are omitted
   * anyway.
   */
  depth: 90,
  /**
   * Number of atoms and strings of each open list in a FETCH response that are kept beyond the
   * other limits, and their length. A MIME part has 12 atoms and strings at fixed positions.
   */
  trailing: 16,
  trailingText: 500,
  /**
   * Maximum length of a literal in ENVELOPE or BODYSTRUCTURE of a FETCH response. Only the start of
   * a long literal is stored.
   */
  literal: 2 ** 30,
  /** Maximum data items of a FETCH response. The longest query has 11 items. */
  items: 200,
} as const

/** Data item of a FETCH response in which the filter leaves something out. */
export type LimitedItem = 'envelope' | 'structure' | 'flags'

/**
 * Names of MIME parts, in lower case, by which the filter marks omissions in a FETCH response.
 * Parts with these names have no content.
 */
export const truncationMarks: Readonly<Record<LimitedItem, string>> = {
  envelope: 'truncated.envelope',
  structure: 'truncated.structure',
  flags: 'truncated.flags',
}

/** Data item of a FETCH response that begins with `letter`. */
export function itemOf(letter: number): LimitedItem {
  switch (String.fromCharCode(letter).toUpperCase()) {
    case 'E':
      return 'envelope'
    case 'B':
      return 'structure'
    default:
      return 'flags'
  }
}

/**
 * Maximum tokens of all responses to one FETCH command. Beyond the limit, each response keeps only
 * its first tokens, so that a page of large messages fits into memory.
 */
export const commandTokens = 600_000
export const tokensBeyondCommand = 1_000

/** Limits of an IMAP response line that is neither FETCH nor a search result. */
export const maxLineBytes = 128 * 1024
export const maxLineTokens = 10_000

/**
 * Limits of the bytes that an IMAP server sends in one response, kept or not: lines, and literals.
 */
export const maxReadLineBytes = 16 * 2 ** 20
export const maxReadLiteralBytes = 2 ** 31

/**
 * Maximum number of bytes that an IMAP server may send in addition to the requested bytes. Some
 * servers ignore ranges.
 */
export const maxExcessBytes = 16 * 2 ** 20

/** Number of response tokens after which the event loop runs once. */
export const tokensPerTick = 1_000

/**
 * Error that ends the IMAP connection because of a response beyond the limits, with a code as in
 * imapflow.
 */
export function responseError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
