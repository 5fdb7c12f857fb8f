/** Stands for a secret wherever one is read back. */
export const mask = '******'

/** An address with its password hidden, or the user where that is all there is, as some services have their keys; anything else as it is. */
export function maskUrl(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.password !== '') url.password = mask
  else if (url.username !== '') url.username = mask
  else return address
  return url.href
}

interface Header {
  key: string
  value: string
}

export function maskHeaders(headers: readonly Header[]): Header[] {
  return headers.map(({ key }) => ({ key, value: mask }))
}

/** What a client meant that sends an address back: the stored one, if it is that with its password hidden; undefined if it cannot be told. */
export function unmaskUrl(given: string, stored: string | null | undefined): string | undefined {
  if (!given.includes(mask)) return given
  return stored && maskUrl(stored) === given ? stored : undefined
}

/**
 * The same for headers: a hidden value stands for the stored one of that name. Of several of one name each stands for the one in its
 * place, as long as they are as many as there were.
 */
export function unmaskHeaders(
  given: readonly { key: string; value?: string }[],
  stored: readonly Header[] | null | undefined,
): Header[] | undefined {
  const counts = new Map<string, number>()
  const headers = given.map(({ key, value = '' }) => {
    const place = counts.get(key) ?? 0
    counts.set(key, place + 1)
    return { key, value, place }
  })
  const storedOf = Map.groupBy(stored ?? [], ({ key }) => key)
  const meant = headers.map(({ key, value, place }) => {
    if (!value.includes(mask)) return { key, value }
    const known = storedOf.get(key) ?? []
    const canBeTold = value === mask && (known.length === 1 || known.length === counts.get(key))
    return { key, value: canBeTold ? known[known.length === 1 ? 0 : place]?.value : undefined }
  })
  return meant.every((header): header is Header => header.value !== undefined) ? meant : undefined
}
