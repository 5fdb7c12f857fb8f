import type { UidRange } from '../backend.ts'
import { parseSequenceSet } from '../uid-ranges.ts'

/** A piece of a line as imapflow's parser leaves it, and as its compiler takes it. */
export type Token = { type?: string; value?: string | Buffer; section?: Token[] } | Token[] | null

/** An untagged line; of one with a number in front the number is the command. */
export interface Line {
  command: string
  attributes?: Token[]
}

export type LineHandler = (line: Line) => Promise<void>

/** The arguments of a command. */
export type Attributes = (Token | string)[] | false

/** Names of counters, in capitals, to what the server gave for them. */
export type StatusItems = ReadonlyMap<string, Token>

/** The text of a piece; of a literal, read as UTF-8. */
export function textOf(token: Token | undefined): string | undefined {
  if (!token || Array.isArray(token)) return undefined
  return token.value?.toString()
}

/** The texts in a list. */
export function textsOf(token: Token | undefined): string[] {
  return Array.isArray(token) ? token.flatMap((each) => textOf(each) ?? []) : []
}

/** A list of words, as a command takes it. */
export function words(...names: readonly string[]): Token[] {
  return names.map((value) => ({ type: 'ATOM', value }))
}

/** LIST … RETURN (…), with counters among what it returns (RFC 5819). Undefined where it has no RETURN. */
export function withStatus(
  attributes: Attributes,
  items: readonly string[],
): Attributes | undefined {
  const [reference, pattern, word, returned] = attributes || []
  if (reference === undefined || pattern === undefined || !Array.isArray(returned)) return undefined
  return [reference, pattern, word ?? null, [...returned, ...words('STATUS'), words(...items)]]
}

/** The UIDs of a set; none where it makes no sense. */
export function sequenceSet(token: Token | undefined): UidRange[] {
  try {
    return parseSequenceSet(textOf(token) ?? '')
  } catch {
    return []
  }
}

/** The counters in a STATUS line, with the name of the mailbox as it was written. */
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

/** Whether a FETCH says that a message changed and not what (RFC 7162 §3.2.4): it has a mod-sequence and no flags. Gmail tells so of labels. */
export function hasOnlyModseq({ attributes = [] }: Line): boolean {
  const [, items] = attributes
  if (!Array.isArray(items)) return false
  const names = items.flatMap((item, at) =>
    at % 2 === 0 ? (textOf(item)?.toUpperCase() ?? '') : [],
  )
  return names.includes('MODSEQ') && names.every((name) => name === 'MODSEQ' || name === 'UID')
}
