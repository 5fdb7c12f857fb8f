import { markSealed, sealedIn } from './in-place.ts'
import { keyIdOf, type Unsealer, type Resealer, type Sealer } from './seal.ts'

// Custom headers of webhooks often contain credentials (`Authorization: Bearer …`). Their values
// are sealed (encrypted), their names stay readable.

/**
 * Owner of a custom webhook header. A value that is sealed (encrypted) for one owner cannot be
 * unsealed for another owner.
 */
export type HeaderOwner = 'settings' | `account/${string}` | `route/${string}`

/**
 * Seal context of a webhook header's value: the owner and the name of the header, to which the
 * encrypted value is bound.
 */
export interface HeaderSealContext {
  owner: HeaderOwner
  /** Name of the webhook header, case-insensitive. */
  key: string
}

interface Header {
  key: string
  value: string
}

/**
 * Seals (encrypts) the values of webhook headers for an owner. Sealed and empty values stay
 * unchanged.
 */
export function sealHeaders(
  headers: readonly Header[],
  owner: HeaderOwner,
  sealer: Sealer,
): Promise<Header[]> {
  return Promise.all(headers.map((header) => sealHeader(header, owner, sealer)))
}

async function sealHeader(
  { key, value }: Header,
  owner: HeaderOwner,
  sealer: Sealer,
): Promise<Header> {
  if (value === '' || isHeaderSealed(value)) return { key, value }
  return { key, value: markSealed(await sealer.seal(value, sealContextOf({ owner, key }))) }
}

/**
 * Unseals (decrypts) the value of a webhook header. A value that is not sealed is returned
 * unchanged.
 *
 * @throws AppError `internal` if the value was sealed for another owner or name, or no key fits
 */
export async function unsealHeader(
  { value, ...context }: HeaderSealContext & { value: string },
  unsealer: Unsealer,
): Promise<string> {
  const sealed = sealedIn(value)
  return sealed === undefined ? value : unsealer.unseal(sealed, sealContextOf(context))
}

/**
 * Reseals (encrypts again) the value of a webhook header with the newest key. A plaintext value is
 * sealed.
 *
 * @throws AppError `internal` if no key fits
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

/** True if the value of a webhook header is sealed (encrypted). */
export function isHeaderSealed(value: string): boolean {
  return sealedIn(value) !== undefined
}

/**
 * Returns the id of the key with which the value of a webhook header was sealed (encrypted),
 * `clear` for a plaintext value, undefined for an empty value.
 */
export function keyIdOfHeader(value: string): string | undefined {
  if (value === '') return undefined
  const sealed = sealedIn(value)
  return sealed === undefined ? 'clear' : keyIdOf(sealed)
}

/**
 * Seal context of a webhook header's value, to which the encrypted value is bound: owner and name
 * of the header as text. The encoded header name contains no slash, so that contexts of different
 * owners cannot be equal.
 */
function sealContextOf({ owner, key }: HeaderSealContext): string {
  return `header/${owner}/${encodeURIComponent(key.toLowerCase())}`
}
