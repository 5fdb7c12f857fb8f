/**
 * Characters that change the state of a terminal or the order of a text: control characters
 * (escape sequences start with one), and marks for the direction of text.
 */
const unprintable =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/**
 * Text that is safe to print on a terminal in a single line. Subjects, names and responses come
 * from strangers, who could otherwise move the cursor, change the title or hide text.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (/\s/.test(character) ? ' ' : '\u{fffd}'))
}

/**
 * JSON text of a value in a single line. The characters of strangers that `printable` replaces are
 * escaped (`\u202e`): a terminal does not obey them, and a parser gets the same value.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
