/**
 * Map of origins (RFC 6454 §6.2) to replacements. Requests to an origin are sent to its
 * replacement. Used in tests with fake mail providers.
 */
export type OriginMap = Readonly<Record<string, string>>

/** Replaces the origin of a URL if the map contains the origin. Returns any other URL unchanged. */
export function mapOrigin(url: string, origins: OriginMap | undefined): string {
  if (origins === undefined || !URL.canParse(url)) return url
  const { origin, pathname, search } = new URL(url)
  const target = origins[origin]
  return target === undefined ? url : `${target}${pathname}${search}`
}

/**
 * Returns the origin if the text is an HTTP or HTTPS origin without a path. Returns undefined for
 * any other text.
 */
export function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { origin, href, protocol } = new URL(text)
  const isHttp = protocol === 'https:' || protocol === 'http:'
  return isHttp && href === `${origin}/` ? origin : undefined
}
