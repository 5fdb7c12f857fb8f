/**
 * Removes characters that cannot be stored from text of a mail server: NUL, which Postgres rejects,
 * and unpaired surrogates.
 */
export function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/**
 * Removes characters that cannot be stored, like `clean`. Undefined for an absent or empty text of
 * a mail server.
 */
export function cleanIfPresent(text: string | undefined): string | undefined {
  return text ? clean(text) : undefined
}

/**
 * Text of a mail server without NUL and unpaired surrogates, at most 1,000 characters, for logs and
 * errors.
 */
export function brief(text: string): string {
  return clean(text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text)
}

/** Removes a leading hierarchy delimiter, which some IMAP servers add to mailbox paths. */
export function withoutRoot(path: string, delimiter: string | null | undefined): string {
  return delimiter && path.startsWith(delimiter) ? path.slice(delimiter.length) : path
}
