import { keyIdOf } from './seal.ts'

// Of values that many read, such as addresses and headers, only what is secret is sealed, and stays in its place. It is told by this mark.

/** It and a compact JWE need no escape in an address (RFC 3986 §3.2.1) or a header. */
const mark = 'sealed~'

export function markSealed(sealed: string): string {
  return mark + sealed
}

/** The sealed value that a text is; undefined for any other text. */
export function sealedIn(text: string): string | undefined {
  const sealed = text.startsWith(mark) ? text.slice(mark.length) : undefined
  return sealed !== undefined && keyIdOf(sealed) !== undefined ? sealed : undefined
}

/** Without a doubt not sealed: cheap, for where most are not. */
export function lacksMark(text: string): boolean {
  return !text.includes(mark)
}
