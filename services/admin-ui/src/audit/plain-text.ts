/** Characters that would hide or forge parts of an audit row: controls, line and bidi marks. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Removes invisible characters, which could mislead readers, and cuts the text. */
export function plainText(text: string, maxLength: number): string {
  // The text is cut first, so that a long text costs no time.
  return text
    .slice(0, 2 * maxLength)
    .replace(hidden, '')
    .slice(0, maxLength)
    .toWellFormed()
}
