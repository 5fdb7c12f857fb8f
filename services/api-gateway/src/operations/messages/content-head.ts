/** What is known of an attachment. All of it comes from a message, and nothing of it is trusted. */
export interface AttachmentHead {
  contentType: string
  charset?: string
  filename?: string
}

const token = /^[a-z0-9!#$&^_.+-]{1,100}$/i

/** The headers that an attachment is sent with: its own type, and never shown inside of a page. */
export function contentHead({
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

/**
 * RFC 6266: the name as ASCII for those who know no better and, where that is not all of it, as UTF-8 (RFC 8187). Without anything that is
 * a path, or cannot be seen.
 */
function disposition(filename = ''): string {
  const name = filename
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, '')
    .replace(/[\\/]+/g, '_')
    .trim()
    .slice(0, 255)
  if (name === '') return 'attachment'
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["%]/g, '_')
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encoded(name)}`
  return `attachment; filename="${ascii}"${extended}`
}

/** RFC 8187 §3.2.1: `attr-char` stays as it is. */
function encoded(name: string): string {
  return encodeURIComponent(wellFormed(name)).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** A name cut inside of a character ends in half of one. */
function wellFormed(name: string): string {
  return name.replace(/[\uD800-\uDBFF]$/, '')
}
