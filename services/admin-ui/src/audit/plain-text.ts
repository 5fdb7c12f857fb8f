/**
 * Characters that could hide or forge parts of an audit log row: control characters, line
 * separators, and marks for the text direction.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Removes invisible characters from a text for the audit log, and cuts the text to its maximum
 * length.
 */
export function plainText(text: string, maxLength: number): string {
  // The text for the audit log is cut before the replacement, so that a long text costs no time.
  return text
    .slice(0, 2 * maxLength)
    .replace(hidden, '')
    .slice(0, maxLength)
    .toWellFormed()
}
