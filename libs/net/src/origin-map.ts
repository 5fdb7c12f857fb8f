/**
 * Map of origins (RFC 6454 §6.2) that are called at another origin: the keys at the values. For
 * fakes of mail providers in tests.
 */
export type OriginMap = Readonly<Record<string, string>>

/** Returns the URL at the mapped origin, or the URL itself if its origin is not mapped. */
export function mapOrigin(url: string, origins: OriginMap | undefined): string {
  if (origins === undefined || !URL.canParse(url)) return url
  const { origin, pathname, search } = new URL(url)
  const target = origins[origin]
  return target === undefined ? url : `${target}${pathname}${search}`
}

/** Returns the origin if the text is an HTTP or HTTPS origin, with nothing after the port. */
export function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { origin, href, protocol } = new URL(text)
  const isHttp = protocol === 'https:' || protocol === 'http:'
  return isHttp && href === `${origin}/` ? origin : undefined
}
