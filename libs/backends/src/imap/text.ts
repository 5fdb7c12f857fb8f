/** Removes NUL, which Postgres rejects, and unpaired surrogates. */
export function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** Variant of `clean` that returns undefined for an absent or empty text. */
export function cleanIfPresent(text: string | undefined): string | undefined {
  return text ? clean(text) : undefined
}

/** Variant of `clean` with at most 1,000 characters, for logs and errors. */
export function brief(text: string): string {
  return clean(text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text)
}

/** Removes a leading delimiter, which some servers add to paths. */
export function withoutRoot(path: string, delimiter: string | null | undefined): string {
  return delimiter && path.startsWith(delimiter) ? path.slice(delimiter.length) : path
}
