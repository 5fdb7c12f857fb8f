/**
 * Limits of one FETCH response. Parsing a response within these limits takes about 50 ms of CPU
 * time.
 */
export const fetchLimits = {
  /** Tokens of a response: atoms, strings and lists. An address has 5 tokens, a part about 14. */
  tokens: 10_000,
  /**
   * Tokens of ENVELOPE or BODYSTRUCTURE, so that neither of the two items uses up the tokens of the
   * other item.
   */
  itemTokens: 8_000,
  /** Bytes of text in ENVELOPE or BODYSTRUCTURE. */
  itemText: 128 * 1024,
  /** Bytes of one string in ENVELOPE or BODYSTRUCTURE. */
  text: 16 * 1024,
  /** Nested lists. Parts nested more than 64 times are omitted anyway. */
  depth: 90,
  /**
   * Atoms and strings of each open list that are kept beyond the other limits, and their length. A
   * part has 12 atoms and strings at fixed positions.
   */
  trailing: 16,
  trailingText: 500,
  /**
   * Maximum length of a literal in ENVELOPE or BODYSTRUCTURE. Only the start of a long literal is
   * stored.
   */
  literal: 2 ** 30,
  /** Data items of a response. The longest query has 11 items. */
  items: 200,
} as const

/** Data items of a response in which the filter leaves something out. */
export type LimitedItem = 'envelope' | 'structure' | 'flags'

/**
 * Parts by which the filter marks omissions in a response, in lower case. Such parts have no
 * content.
 */
export const truncationMarks: Readonly<Record<LimitedItem, string>> = {
  envelope: 'truncated.envelope',
  structure: 'truncated.structure',
  flags: 'truncated.flags',
}

/** Data item that begins with `letter`. */
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
 * Maximum tokens of all responses to one command. Beyond the limit, each response keeps only its
 * first tokens, so that a page of large messages fits into memory.
 */
export const commandTokens = 600_000
export const tokensBeyondCommand = 1_000

/** Limits of a line that is neither FETCH nor a search result. */
export const maxLineBytes = 128 * 1024
export const maxLineTokens = 10_000

/** Limits of the bytes that a server sends in one response, kept or not: lines, and literals. */
export const maxReadLineBytes = 16 * 2 ** 20
export const maxReadLiteralBytes = 2 ** 31

/**
 * Maximum number of bytes that a server may send in addition to the requested bytes. Some servers
 * ignore ranges.
 */
export const maxExcessBytes = 16 * 2 ** 20

/** Tokens after which the event loop runs once. */
export const tokensPerTick = 1_000

/** Error that ends the connection, with a code as in imapflow. */
export function responseError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
