import { markSealed, sealedIn } from './in-place.ts'
import { keyIdOf, type Unsealer, type Resealer, type Sealer } from './seal.ts'

// Custom headers of webhooks often are keys (`Authorization: Bearer …`). Their values are sealed in their place; names can be read as ever.

/** Whose a header is. One that is put among another's does not open there. */
export type HeaderOwner = 'settings' | `account/${string}` | `route/${string}`

export interface HeaderSealContext {
  owner: HeaderOwner
  /** The header's name, in any case. */
  key: string
}

interface Header {
  key: string
  value: string
}

/** The headers with their values sealed for the owner; those that are sealed, or empty, stay as they are. */
export function sealHeaders(
  headers: readonly Header[],
  owner: HeaderOwner,
  sealer: Pick<Sealer, 'seal'>,
): Promise<Header[]> {
  return Promise.all(headers.map((header) => sealHeader(header, owner, sealer)))
}

async function sealHeader(
  { key, value }: Header,
  owner: HeaderOwner,
  sealer: Pick<Sealer, 'seal'>,
): Promise<Header> {
  if (value === '' || isHeaderSealed(value)) return { key, value }
  return { key, value: markSealed(await sealer.seal(value, placeOf({ owner, key }))) }
}

/**
 * The value of a header in the clear.
 *
 * @throws AppError `internal` as `Opener.open` does, also where it was sealed for another owner or name
 */
export async function unsealHeader(
  { value, ...place }: HeaderSealContext & { value: string },
  opener: Unsealer,
): Promise<string> {
  const sealed = sealedIn(value)
  return sealed === undefined ? value : opener.unseal(sealed, placeOf(place))
}

/**
 * A header with its value sealed by the newest key, also where it was in the clear.
 *
 * @throws AppError `internal` as `Opener.open` does
 */
export async function resealHeader(
  { key, value }: Header,
  owner: HeaderOwner,
  resealer: Resealer,
): Promise<Header> {
  const sealed = sealedIn(value)
  if (sealed === undefined) return sealHeader({ key, value }, owner, resealer)
  if (keyIdOf(sealed) === resealer.newest) return { key, value }
  return { key, value: markSealed(await resealer.reseal(sealed)) }
}

export function isHeaderSealed(value: string): boolean {
  return sealedIn(value) !== undefined
}

/** Id of the key that a value is sealed with, `clear` where it is not; undefined where there is nothing to seal. */
export function keyIdOfHeader(value: string): string | undefined {
  if (value === '') return undefined
  const sealed = sealedIn(value)
  return sealed === undefined ? 'clear' : keyIdOf(sealed)
}

/** The name is the last part, without a slash, so that no two owners have one place between them. */
function placeOf({ owner, key }: HeaderSealContext): string {
  return `header/${owner}/${encodeURIComponent(key.toLowerCase())}`
}
