import { type LinkKeys, readLink, type SignedLink } from '@posthorn/links'

export interface SignedParams<A extends SignedLink['act']> {
  link: Extract<SignedLink, { act: A }>
  data: string
  sig: string
}

/** What a request says and we signed; undefined for what we did not, and for a link of another kind. Rejects while the key cannot be had. */
export async function readSigned<A extends SignedLink['act']>(
  keys: LinkKeys,
  act: A,
  { data, sig }: { data?: unknown; sig?: unknown },
): Promise<SignedParams<A> | undefined> {
  if (typeof data !== 'string' || typeof sig !== 'string') return undefined
  const link = readLink(await keys.current(), { data, sig })
  if (link?.act !== act) return undefined
  return { link: link as SignedParams<A>['link'], data, sig }
}
