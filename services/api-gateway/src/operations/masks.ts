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

/** The same for headers: a hidden value stands for the stored one of that name. */
export function unmaskHeaders(
  given: readonly { key: string; value?: string }[],
  stored: readonly Header[] | null | undefined,
): Header[] | undefined {
  const headers = given.map(({ key, value = '' }) => ({ key, value: meant(key, value, stored) }))
  return headers.every((header): header is Header => header.value !== undefined)
    ? headers
    : undefined
}

/** Undefined where a part of a value is hidden: whatever it was, it is not to be stored with stars in it. */
function meant(key: string, value: string, stored: readonly Header[] | null | undefined) {
  if (!value.includes(mask)) return value
  return value === mask ? stored?.find((header) => header.key === key)?.value : undefined
}
