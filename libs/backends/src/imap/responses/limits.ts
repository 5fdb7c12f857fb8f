/**
 * Limits of one FETCH response. Parsing a response within these limits takes imapflow about 50 ms
 * of CPU time.
 */
export const fetchLimits = {
  /**
   * Maximum tokens of a FETCH response: atoms, strings and lists. An address has 5 tokens, a MIME
   * part about 14.
   */
  tokens: 10_000,
  /**
   * Maximum tokens of ENVELOPE or BODYSTRUCTURE in a FETCH response. The limit keeps either of the
   * two items from using up the tokens of the other item.
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
   * Number and maximum length of the atoms and strings of each open list in a FETCH response that
   * are kept after other limits are reached. A MIME part has 12 atoms and strings at fixed
   * positions.
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

/** Data item of a FETCH response from which the filter may leave content out. */
export type LimitedItem = 'envelope' | 'structure' | 'flags'

/**
 * Names of MIME parts, in lower case, with which the filter marks a FETCH response from which
 * content was left out. No message has content under these names.
 */
export const truncationMarks: Readonly<Record<LimitedItem, string>> = {
  envelope: 'truncated.envelope',
  structure: 'truncated.structure',
  flags: 'truncated.flags',
}

/** Data item of a FETCH response whose name begins with `letter`. */
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
 * Maximum tokens of all responses to one FETCH command. Beyond the limit, only the first tokens of
 * each response are kept, so that a page of large messages fits into memory.
 */
export const commandTokens = 600_000
export const tokensBeyondCommand = 1_000

/**
 * Limits of a line of an IMAP response that is neither a FETCH response nor a search result: bytes
 * and tokens.
 */
export const maxLineBytes = 128 * 1024
export const maxLineTokens = 10_000

/**
 * Limits of the bytes that an IMAP server may send in one response, including bytes that are left
 * out: for lines, and for literals.
 */
export const maxReadLineBytes = 16 * 2 ** 20
export const maxReadLiteralBytes = 2 ** 31

/**
 * Maximum number of bytes that an IMAP server may send in addition to the requested bytes. Some
 * servers ignore ranges.
 */
export const maxExcessBytes = 16 * 2 ** 20

/** Number of tokens of IMAP responses after which the event loop runs once. */
export const tokensPerTick = 1_000

/**
 * Error that ends the IMAP connection after a response exceeded the limits. Its code has the form
 * of imapflow's error codes.
 */
export function responseError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
