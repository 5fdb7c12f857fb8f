/** One piece of a command: a word (atom, quoted string or literal, which mean the same here), or a bracket of a list. */
export type Token = { kind: 'word'; text: string } | { kind: 'open' } | { kind: 'close' }

export interface Segment {
  tokens: Token[]
  /** The line ends in a literal of so many bytes (RFC 9051 §4.3); with `sync` the client waits to be told to go on. */
  literal?: { digits: string; sync: boolean }
  /** It is not a piece of a command at all. */
  malformed?: true
}

// In order: quoted string, brackets, literal at the end of the line, atom. Each alternative runs in linear time.
const token = / *(?:"((?:[^"\\]|\\["\\])*)"|(\()|(\))|(?<![^ (])\{(\d+)(\+?)\}$|([^ "(){}]+))/y

/** Takes one line of a command apart, up to its end or a literal. Never throws. */
export function readSegment(line: string): Segment {
  const tokens: Token[] = []
  // RFC 9051 §9: NUL has no place anywhere, CR only before LF.
  if (/[\0\r]/.test(line)) return { tokens, malformed: true }
  const text = line.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const match = token.exec(text)
    if (!match) return { tokens, malformed: true }
    const [, quoted, open, close, digits, plus, atom] = match
    if (digits !== undefined) return { tokens, literal: { digits, sync: plus === '' } }
    if (open !== undefined) tokens.push({ kind: 'open' })
    else if (close !== undefined) tokens.push({ kind: 'close' })
    else tokens.push({ kind: 'word', text: quoted?.replace(/\\(.)/g, '$1') ?? atom ?? '' })
  }
  return { tokens }
}

/** RFC 9051 §9: ASTRING-CHAR without "+"; and no longer than anybody needs, for it is said back. */
export function isTag(text: string): boolean {
  return /^[!#$&',\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]{1,64}$/.test(text)
}
