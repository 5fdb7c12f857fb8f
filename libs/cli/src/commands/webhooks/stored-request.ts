import { CommandError } from '../../exit-codes.ts'

/** Webhook request that was stored in a file. */
export interface StoredRequest {
  /** Headers of the stored webhook request, with names in lower case. */
  headers: Record<string, string>
  body: Uint8Array
}

/**
 * Splits a stored webhook request into headers and body at its first empty line. A request line
 * before the headers is ignored. The bytes of the body are those after the empty line.
 */
export function splitRequest(bytes: Uint8Array): StoredRequest {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const ends = ['\r\n\r\n', '\n\n'].flatMap((separator) => {
    const at = buffer.indexOf(separator)
    return at === -1 ? [] : [{ at, next: at + separator.length }]
  })
  const [end] = ends.sort((one, other) => one.at - other.at)
  if (!end)
    throw new CommandError(
      'no empty line between headers and body: store the whole request, or pass --headers-file and --body-file',
    )
  return {
    headers: parseHeaders(buffer.toString('utf8', 0, end.at)),
    body: buffer.subarray(end.next),
  }
}

/** Parses HTTP header lines `name: value`. Other lines, such as the request line, are ignored. */
export function parseHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] =
      /^([!#$%&'*+\-.^_`|~\w]+)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name !== undefined) headers[name.toLowerCase()] = value
  }
  return headers
}
