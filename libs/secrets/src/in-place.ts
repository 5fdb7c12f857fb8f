import { keyIdOf } from './seal.ts'

/**
 * Prefix of values that are sealed (encrypted) inside a URL or header. In a URL, neither the prefix
 * nor a compact JWE needs escaping (RFC 3986 §3.2.1).
 */
const mark = 'sealed~'

/** Adds the prefix that marks sealed (encrypted) values in URLs and headers to such a value. */
export function markSealed(sealed: string): string {
  return mark + sealed
}

/**
 * Returns a sealed (encrypted) value without the prefix that marks sealed values; undefined if the
 * text is not sealed.
 */
export function sealedIn(text: string): string | undefined {
  const sealed = text.startsWith(mark) ? text.slice(mark.length) : undefined
  return sealed !== undefined && keyIdOf(sealed) !== undefined ? sealed : undefined
}

/**
 * True if a text certainly contains no sealed (encrypted) value. Cheap check before the text is
 * parsed.
 */
export function lacksMark(text: string): boolean {
  return !text.includes(mark)
}
