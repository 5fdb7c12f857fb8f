/**
 * Argument of an IMAP command: an atom, a string in any notation, or a list. Strings have one byte
 * per character.
 */
export type Value = string | readonly Value[]

/**
 * Parses the arguments of an IMAP command with a tolerant version of RFC 9051 §9. A literal is its
 * length (`{5}`), CRLF and its bytes.
 */
export function readValues(text: string): Value[] {
  let at = 0
  return readList()

  function readList(): Value[] {
    const values: Value[] = []
    while (at < text.length) {
      const next = text[at]
      if (next === ' ') at++
      else if (next === ')') {
        at++
        return values
      } else values.push(readValue())
    }
    return values
  }

  function readValue(): Value {
    if (text[at] === '(') {
      at++
      return readList()
    }
    if (text[at] === '"') return readQuoted()
    const literal = /~?\{(\d+)\+?\}\r\n/y
    literal.lastIndex = at
    const match = literal.exec(text)
    return match ? readLiteral(match) : readAtom()
  }

  function readQuoted(): string {
    const quoted = /"((?:[^"\\]|\\.)*)"?/y
    quoted.lastIndex = at
    const [whole = '', inside = ''] = quoted.exec(text) ?? []
    at += Math.max(1, whole.length)
    return inside.replace(/\\(.)/g, '$1')
  }

  function readLiteral([head, length]: RegExpExecArray): string {
    const start = at + (head ?? '').length
    at = start + Number(length)
    return text.slice(start, at)
  }

  /**
   * Reads an IMAP atom, which ends at a space or parenthesis outside of brackets, as in
   * `BODY[HEADER.FIELDS (TO)]`.
   */
  function readAtom(): string {
    const start = at
    for (let brackets = 0; at < text.length; at++) {
      const next = text[at] ?? ''
      if (next === '[') brackets++
      else if (next === ']') brackets--
      else if (brackets <= 0 && ' ()'.includes(next)) break
    }
    return text.slice(start, at)
  }
}

/** Converts an argument of an IMAP command to a string. A list becomes an empty string. */
export function asText(value: Value | undefined): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Converts an argument of an IMAP command to a list of strings. A string becomes a list with one
 * element.
 */
export function asTexts(value: Value | undefined): string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : value.map(asText)
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Formats a text for IMAP as a quoted string if possible, otherwise as a literal. */
export function string(text: string): string {
  return /^[\x20-\x7e]{0,1000}$/.test(text) ? quote(text) : literal(text)
}

export function nstring(text: string | undefined): string {
  return text === undefined ? 'NIL' : string(text)
}

export function literal(text: string): string {
  return `{${text.length}}\r\n${text}`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats a date-time for IMAP in quotes: ` 1-Feb-2024 12:00:00 +0000`. */
export function dateTime(date: Date): string {
  const day = String(date.getUTCDate()).padStart(2, ' ')
  const month = months[date.getUTCMonth()] ?? 'Jan'
  return `"${day}-${month}-${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)} +0000"`
}

/** Parses an IMAP date such as `1-Feb-2024`, optionally with time and zone. */
export function readDate(text: string): Date {
  return new Date(
    text.trim().replace(/^(\d+)-(\w+)-(\d+)(.*)$/, '$1 $2 $3$4') +
      (text.includes(':') ? '' : ' 00:00 +0000'),
  )
}

/** Encodes a mailbox name in modified UTF-7 (RFC 3501 §5.1.3). */
export function encodeName(name: string): string {
  return name.replace(/&|[^\x20-\x7e]+/g, (run) => {
    if (run === '&') return '&-'
    const base64 = Buffer.from(run, 'utf16le').swap16().toString('base64')
    return `&${base64.replace(/=+$/, '').replaceAll('/', ',')}-`
  })
}

export function decodeName(name: string): string {
  return name.replace(/&([^-]*)-/g, (_run, inside: string) => {
    if (inside === '') return '&'
    const bytes = Buffer.from(inside.replaceAll(',', '/'), 'base64')
    return bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le')
  })
}
