import type { GmailMessagePartHeader } from '../../provider-types/gmail.ts'

const maxHeaderBytes = 256 * 1024

/** Header fields of a Gmail message in order, up to 256 KiB. */
export function headersOf(headers: readonly GmailMessagePartHeader[] = []): [string, string][] {
  const fields: [string, string][] = []
  let bytes = 0
  for (const { name, value } of headers) {
    if (typeof name !== 'string' || typeof value !== 'string') continue
    bytes += name.length + value.length
    if (bytes > maxHeaderBytes) break
    fields.push([name, clean(value)])
  }
  return fields
}

/** Header text without NUL, which Postgres rejects, and without line ends. */
export function clean(text: string): string {
  return text.replace(/[\0\r\n]+/g, ' ').toWellFormed()
}
