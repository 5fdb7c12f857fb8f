/** Name and type of an attachment, as the message with the attachment describes them. Untrusted. */
export interface AttachmentHead {
  contentType: string
  charset?: string
  filename?: string
}

const token = /^[a-z0-9!#$&^_.+-]{1,100}$/i

/**
 * HTTP response headers for an attachment. Browsers download the attachment and do not show it in a
 * page.
 */
export function attachmentHeaders({
  contentType,
  charset,
  filename,
}: AttachmentHead): Record<string, string> {
  const [type = '', subtype = '', ...rest] = contentType.split('/')
  const isType = token.test(type) && token.test(subtype) && rest.length === 0
  const hasCharset = charset !== undefined && token.test(charset) && /^text$/i.test(type)
  return {
    'Content-Type': isType
      ? `${contentType.toLowerCase()}${hasCharset ? `; charset=${charset}` : ''}`
      : 'application/octet-stream',
    'Content-Disposition': disposition(filename),
  }
}

/** HTTP response headers for the source of a message, which browsers save as a file. */
export function sourceHeaders(message: string): Record<string, string> {
  return {
    'Content-Type': 'message/rfc822',
    'Content-Disposition': disposition(`${message}.eml`),
  }
}

/**
 * Header `Content-Disposition` (RFC 6266) of a download: ASCII name for old clients, and the UTF-8
 * name (RFC 8187). Removes path separators and invisible characters.
 */
function disposition(filename = ''): string {
  const name = filename
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, '')
    .replace(/[\\/]+/g, '_')
    .trim()
    .slice(0, 255)
  if (name === '') return 'attachment'
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["%]/g, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encode(name)}`
}

/** Percent-encodes a file name for a header. RFC 8187 §3.2.1: only `attr-char` stays unencoded. */
function encode(name: string): string {
  return encodeURIComponent(dropHalfSurrogate(name)).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * Drops half a surrogate pair at the end of a file name: the file name may have been cut within the
 * pair.
 */
function dropHalfSurrogate(name: string): string {
  return name.replace(/[\uD800-\uDBFF]$/, '')
}
