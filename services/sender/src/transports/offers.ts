import type SMTPConnection from 'nodemailer/lib/smtp-connection'

/** What a server said it can do (RFC 5321 §4.1.1.1). */
export interface Offers {
  /** Keywords, in capitals. */
  extensions: ReadonlySet<string>
  /** SASL mechanisms, in capitals. */
  mechanisms: readonly string[]
  /** Bytes of the largest message it takes (RFC 1870); absent: it does not say. */
  maxBytes?: number
}

/** Reads the lines of an EHLO reply, without their codes and without the greeting. */
export function parseOffers(lines: readonly string[]): Offers {
  const extensions = new Set<string>()
  const mechanisms: string[] = []
  let maxBytes = 0
  for (const line of lines) {
    // Old servers write `AUTH=LOGIN`.
    const [keyword = '', ...words] = line.toUpperCase().split(/[\s=]+/)
    extensions.add(keyword)
    if (keyword === 'AUTH') mechanisms.push(...words.filter((word) => word !== ''))
    if (keyword === 'SIZE' && /^\d{1,15}$/.test(words[0] ?? '')) maxBytes = Number(words[0])
  }
  return { extensions, mechanisms, ...(maxBytes > 0 ? { maxBytes } : {}) }
}

/** Of a connection that has been greeted. nodemailer keeps the lines to itself until a message is sent. */
export function ehloOffersOf(connection: SMTPConnection): Offers {
  const { _ehloLines: lines = [] } = connection as unknown as { _ehloLines?: string[] }
  return parseOffers(lines)
}
