import type { UidRange } from '../mail-session.ts'
import { parseSequenceSet } from '../uid-ranges.ts'

/**
 * Token of an IMAP command or response, as the parser and the compiler of imapflow represent it.
 */
export type Token = { type?: string; value?: string | Buffer; section?: Token[] } | Token[] | null

/**
 * Untagged IMAP response. If the response begins with a number, the field `command` contains the
 * number.
 */
export interface Line {
  command: string
  attributes?: Token[]
}

export type LineHandler = (line: Line) => Promise<void>

/** Arguments of an IMAP command. */
export type Attributes = (Token | string)[] | false

/** Values of an IMAP STATUS response, keyed by STATUS item in upper case. */
export type StatusItems = ReadonlyMap<string, Token>

/** Maximum length of an IMAP command line in octets. Servers accept 8,192 octets (RFC 7162 §4). */
export const maxLineLength = 7_800

/** Text of a token of an IMAP response, with literals as UTF-8. */
export function textOf(token: Token | undefined): string | undefined {
  if (!token || Array.isArray(token)) return undefined
  return token.value?.toString()
}

/** Texts of the tokens in a list of an IMAP response. */
export function textsOf(token: Token | undefined): string[] {
  return Array.isArray(token) ? token.flatMap((each) => textOf(each) ?? []) : []
}

/** Tokens of the response code of an IMAP response, such as `[MAILBOXID (1)]`. */
export function responseCode({ attributes = [] }: Line): readonly Token[] {
  const [first] = attributes
  return (first && !Array.isArray(first) && first.section) || []
}

/** Converts names, such as names of STATUS items, to atoms of an IMAP command. */
export function words(...names: readonly string[]): Token[] {
  return names.map((value) => ({ type: 'ATOM', value }))
}

/**
 * Adds STATUS items to a command LIST … RETURN (…) (RFC 5819). Undefined for LIST without
 * RETURN.
 */
export function withStatus(
  attributes: Attributes,
  items: readonly string[],
): Attributes | undefined {
  const [reference, pattern, word, returned] = attributes || []
  if (reference === undefined || pattern === undefined || !Array.isArray(returned)) return undefined
  return [reference, pattern, word ?? null, [...returned, ...words('STATUS'), words(...items)]]
}

/** UIDs of a sequence set in an IMAP response. Empty if the sequence set is invalid. */
export function sequenceSet(token: Token | undefined): UidRange[] {
  try {
    return parseSequenceSet(textOf(token) ?? '')
  } catch {
    return []
  }
}

/** Mailbox counters of an IMAP STATUS response, with the mailbox name in the server's encoding. */
export function readStatus({
  attributes = [],
}: Line): { raw: string; items: StatusItems } | undefined {
  const [name, list] = attributes
  const raw = textOf(name)
  if (raw === undefined || !Array.isArray(list)) return undefined
  const items = new Map<string, Token>()
  for (let at = 0; at + 1 < list.length; at += 2) {
    const item = textOf(list[at])
    if (item !== undefined) items.set(item.toUpperCase(), list[at + 1] ?? null)
  }
  return { raw, items }
}

/**
 * True for a FETCH response with a mod-sequence but without flags (RFC 7162 §3.2.4). Gmail sends
 * such a response for changed labels.
 */
export function hasOnlyModseq({ attributes = [] }: Line): boolean {
  const [, items] = attributes
  if (!Array.isArray(items)) return false
  const names = items.flatMap((item, at) =>
    at % 2 === 0 ? (textOf(item)?.toUpperCase() ?? '') : [],
  )
  return names.includes('MODSEQ') && names.every((name) => name === 'MODSEQ' || name === 'UID')
}
