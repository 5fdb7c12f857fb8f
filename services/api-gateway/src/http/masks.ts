import { type HeaderOwner, type Sealer, sealHeaders } from '@posthorn/secrets'

/** Placeholder of a secret in API responses. */
export const mask = '******'

/** Text of the field error for a masked value that does not match the stored value. */
export const unknownMask = 'contains a masked value that is not the stored one'

/**
 * Masks the password of a URL. If the URL has no password, masks the user. Other URLs stay
 * unchanged.
 */
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

/**
 * Replaces a URL with a masked password by the stored URL. Undefined if the URL differs from the
 * masked stored URL.
 */
export function unmaskUrl(input: string, stored: string | null | undefined): string | undefined {
  if (!input.includes(mask)) return input
  return stored && maskUrl(stored) === input ? stored : undefined
}

/**
 * Replaces masked webhook header values by the stored values, by header name. If a name occurs
 * several times, values match by position, provided that their number is unchanged. Undefined if a
 * masked value has no match.
 */
export function unmaskHeaders(
  input: readonly { key: string; value?: string }[],
  stored: readonly Header[] | null | undefined,
): Header[] | undefined {
  const counts = new Map<string, number>()
  const headers = input.map(({ key, value = '' }) => {
    const position = counts.get(key) ?? 0
    counts.set(key, position + 1)
    return { key, value, position }
  })
  const storedByKey = Map.groupBy(stored ?? [], ({ key }) => key)
  const unmasked = headers.map(({ key, value, position }) => {
    if (!value.includes(mask)) return { key, value }
    const candidates = storedByKey.get(key) ?? []
    const isSingle = candidates.length === 1
    const matches = value === mask && (isSingle || candidates.length === counts.get(key))
    return { key, value: matches ? candidates[isSingle ? 0 : position]?.value : undefined }
  })
  return unmasked.every((header): header is Header => header.value !== undefined)
    ? unmasked
    : undefined
}

/**
 * Seals (encrypts) the values in a stored column of custom webhook headers. The values are sealed
 * for the owner of the headers.
 */
export async function sealHeaderColumn(
  json: string,
  owner: HeaderOwner,
  sealer: Sealer,
): Promise<string> {
  return JSON.stringify(await sealHeaders(JSON.parse(json) as Header[], owner, sealer))
}
