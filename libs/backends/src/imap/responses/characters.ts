/** Codes of the bytes with a special meaning in IMAP responses (RFC 9051 §9). */
export const char = {
  lf: 10,
  cr: 13,
  space: 32,
  quote: 34,
  open: 40,
  close: 41,
  zero: 48,
  nine: 57,
  less: 60,
  openBracket: 91,
  backslash: 92,
  openBrace: 123,
  closeBrace: 125,
} as const

export function isDigit(byte: number): boolean {
  return byte >= char.zero && byte <= char.nine
}
