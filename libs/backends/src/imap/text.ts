/** What came from the server, fit to be stored and shown: neither NUL, which Postgres refuses, nor halves of surrogate pairs. */
export function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** As `clean`, and no longer than a log line should be. */
export function brief(text: string): string {
  return clean(text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text)
}

/** Some servers write paths with their delimiter in front. */
export function withoutRoot(path: string, delimiter: string | null | undefined): string {
  return delimiter && path.startsWith(delimiter) ? path.slice(delimiter.length) : path
}
